#pragma once

// When a vCPU is not run although it could be: absences of equal length, at intervals that are
// random, equally likely from nothing to twice the mean, and the same for the same seed everywhere.

#include "sim/cycles.h"
#include "sim/schedule_parameters.h"
#include "sim/timing_parameters.h"

#include <cstddef>
#include <cstdint>

namespace nestwalk {

class StealTimes {
public:
    static constexpr Cycles kNever{INT64_MAX};

    StealTimes(const StealParameters& parameters, const TimingParameters& timing, std::size_t vcpu);

    /// When the next absence is due; it begins with the end of an instruction.
    Cycles next() const { return next_; }
    Cycles duration() const { return duration_; }
    /// The one that was due ends at `end`.
    void taken(Cycles end);
    /// When a vCPU runs that has waited until `at`: absences begin while it waits.
    Cycles available(Cycles at);

private:
    Cycles interval();

    Cycles duration_{};
    std::int64_t mean_{};  ///< thousandths of a cycle
    std::uint64_t random_;
    Cycles next_{kNever};
    Cycles away_until_{};
};

}  // namespace nestwalk
