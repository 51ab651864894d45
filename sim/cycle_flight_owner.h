#pragma once

// The seam through which the parts of a vCPU of the cycle engine wake what waits for them.

#include "sim/cycle_flight.h"

namespace nestwalk {

/// Whoever goes on with a flight once it has what it waited for.
class FlightOwner {
public:
    FlightOwner() = default;
    FlightOwner(const FlightOwner&) = delete;
    FlightOwner& operator=(const FlightOwner&) = delete;
    virtual ~FlightOwner() = default;

    virtual void resume(Flight& flight) = 0;
    /// The same with all that wait for news of `flight`.
    virtual void resume_waiting(Flight& flight) = 0;
};

}  // namespace nestwalk
