#pragma once

// The flights of a vCPU that something may have to wait for, in program order: an entry or a line
// found in a cache names the access that filled it, and here is when that has come or will come.

#include "models/fill_id.h"
#include "sim/cycle_flight.h"
#include "sim/cycle_program.h"

#include <cstdint>
#include <deque>

namespace nestwalk {

class FlightTable {
public:
    explicit FlightTable(CycleProgram& program) : program_(program) {}

    /// `flight` comes after all others in program order.
    void add(Flight& flight);

    /// False for what was filled long ago, or never.
    bool may_wait_for(FillId fill) const { return fill.value >= oldest_fill_; }
    // When something is there; kNotYet if that is open still, in which case `asking` is resumed
    // when there is news. A time in the past for what was filled long ago.
    Cycles translation_there(FillId fill, Flight& asking);
    Cycles structure_there(FillId fill, Flight& asking);
    Cycles line_there(FillId fill, Flight& asking);

    /// The first moment at which some flight will be over, of those that are known to end.
    Cycles horizon() const { return horizon_; }
    /// To be called when a flight's end becomes known.
    void update_horizon();
    /// Forgets flights that are over by `time`, oldest first, up to one that is not; nothing that
    /// happens later may ask for an earlier time. Calls `forget(flight)` for each.
    template <typename Forget>
    void forget_before(Cycles time, Forget&& forget) {
        while (!flights_.empty() && flights_.front()->retired && flights_.front()->over() <= time) {
            forget(*flights_.front());
            program_.give_back(*flights_.front());
            flights_.pop_front();
        }
        update_horizon();
    }

private:
    Flight* find(FillId fill);

    CycleProgram& program_;
    std::deque<Flight*> flights_{};
    std::uint64_t oldest_fill_{~std::uint64_t{}};
    Cycles horizon_{kNotYet};
};

}  // namespace nestwalk
