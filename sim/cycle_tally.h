#pragma once

// Where the cycle engine adds up time: by cause, as instructions retire, and of walks, as they end.

#include "sim/counters.h"
#include "sim/cycle_flight.h"
#include "sim/cycles.h"
#include "sim/timing_parameters.h"

#include <optional>
#include <vector>

namespace nestwalk {

class CycleTally {
public:
    explicit CycleTally(const TimingParameters& timing);

    /// What is counted from now on goes there.
    void use(Counters& counters) { counters_ = &counters; }

    /// The next instruction in program order has completed. What it did before `begun` is base;
    /// then it did what `cause` says.
    void retire(Cycles begun, Cycles completed, CycleCause cause) {
        if (completed <= retired_) return;
        const Cycles split = begun < retired_ ? retired_ : begun;
        add(CycleCause::kBase, split - retired_);
        add(cause, completed - split);
        finish(completed);
    }
    /// The same of one that looked up the STLB, walked or waited for a walk after it had begun.
    void retire(const Flight& flight, CycleCause cause);
    /// When the last of them retired.
    Cycles retired() const { return retired_; }

    /// The walk of `flight` held a walker from `begun` on.
    void walk(const Flight& flight, Cycles begun);
    void hit_on_pending() { ++(*counters_)[counter::kHitsOnPending]; }
    void read_time_stamp(Cycles at);
    /// Time-stamp reads from now on are not compared with those so far.
    void forget_time_stamp() { time_stamp_.reset(); }
    /// No walk that is yet to be counted begins earlier.
    void forget_walks_before(Cycles time);

private:
    struct Interval {
        Cycles begin{};
        Cycles end{};
    };

    void add_time(std::size_t index, Cycles time) {
        (*counters_)[index] += static_cast<std::uint64_t>(time.milli);
    }
    void add(CycleCause cause, Cycles time) {
        add_time(counter::kCyclesByCause + static_cast<std::size_t>(cause), time);
    }
    void finish(Cycles completed) {
        add_time(counter::kCycles, completed - retired_);
        retired_ = completed;
    }
    Cycles newly_covered(Interval interval);

    Counters* counters_{};
    Cycles retired_{};
    std::int64_t core_mhz_{};
    std::int64_t tsc_mhz_{};
    std::optional<Cycles> time_stamp_{};
    std::vector<Interval> walking_{};  ///< when any walker was busy: disjoint, in order
};

}  // namespace nestwalk
