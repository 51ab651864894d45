#pragma once

// The time of one instruction, stretch by stretch, each with its cause. What of it lies behind the
// retirement of the instruction before is counted by cause; the rest is hidden.

#include "sim/counters.h"
#include "sim/cycles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace nestwalk {

class TimeLine {
public:
    /// The instruction begins at `start`; the one before was retired at `retired`.
    TimeLine(Cycles start, Cycles retired, Counters& counters)
        : start_(start), end_(start), retired_(retired), counters_(counters) {
        count(CycleCause::kBase, retired, start);
    }

    Cycles start() const { return start_; }
    Cycles end() const { return end_; }
    /// What follows lasts until `end`, unless that is over already.
    void until(Cycles end, CycleCause cause) {
        const Cycles from = end_;
        end_ = std::max(end_, end);
        count(cause, from, end_);
    }

private:
    /// Without a branch: whether anything is to be counted is a matter of chance.
    void count(CycleCause cause, Cycles from, Cycles to) {
        const Cycles seen = std::max(to - std::max(from, retired_), Cycles{});
        counters_[counter::kCyclesByCause + static_cast<std::size_t>(cause)] +=
            static_cast<std::uint64_t>(seen.milli);
    }

    Cycles start_;
    Cycles end_;
    Cycles retired_;
    Counters& counters_;
};

}  // namespace nestwalk
