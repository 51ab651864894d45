#pragma once

// The seam behind which an engine keeps time for a replay that has none of its own.

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/counters.h"
#include "sim/cycles.h"

#include <cstdint>

namespace nestwalk {

/// Which costs an instruction has.
enum class Place : std::uint8_t { kBare, kGuest };

class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    /// One translation of an access of a vCPU, in program order. Time is added to `counters`, as
    /// docs/timing.md says under "What is counted"; an engine may add it later, but has added all
    /// by settle().
    virtual void translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                             Counters& counters) = 0;
    virtual void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                           Place place, Counters& counters) = 0;
    /// Called before counters are read and before another phase begins, whose time-stamp reads are
    /// not compared with those before it.
    virtual void settle() = 0;
    /// When the last instruction of a vCPU completed; settles.
    virtual Cycles completed(std::size_t vcpu) = 0;

    // What an engine that runs vCPUs side by side needs to know and to say.

    /// The local time of a vCPU: its next instruction is dispatched no earlier, and then, if there
    /// is room in the reorder buffer.
    virtual Cycles frontier(std::size_t vcpu) = 0;
    /// The same of an instruction that waits for everything earlier to complete.
    virtual Cycles drained(std::size_t vcpu) = 0;
    /// Nothing of a vCPU is dispatched before `until`; the time until then, if it has not passed,
    /// is counted as `cause`.
    virtual void hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) = 0;
};

}  // namespace nestwalk
