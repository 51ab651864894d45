#pragma once

// A trace with its counts cut down and ended early, so that any trace can be replayed in a moment.

#include "traces/record.h"

#include <cstdint>
#include <string>

namespace nestwalk::fuzz {

class LimitedSource final : public TraceSource {
public:
    /// Enough of a loop for its state to come back and for the collapse to have iterations left.
    static constexpr std::uint64_t kMostIterations = 40;
    static constexpr std::uint64_t kMostAccesses = 24;
    /// Records and accesses, those of repeated blocks as often as they are executed.
    static constexpr std::uint64_t kMostWork = 10'000;

    /// `source` must outlive it.
    explicit LimitedSource(TraceSource& source) : source_(source) {}

    const TraceItem* next() override;
    const std::string& name() const override { return source_.name(); }

private:
    TraceSource& source_;
    TraceItem item_{};
    std::uint64_t work_left_{kMostWork};
};

}  // namespace nestwalk::fuzz
