#pragma once

// A lock that was measured twice, as a measurement file describes it: how often CPUs ask for it is
// fitted to one run and carried over to the other one.

#include "traces/source_location.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// The figures of the lock in one run, as indices. Times are in nanoseconds.
struct LockFigures {
    std::size_t hold{};           ///< the mean time for which it is held, an input
    std::size_t blocked_share{};  ///< of all that took it: those that found it held
    std::size_t mean_block{};     ///< for how long these waited
};

/// VM exits of which each hold in the fitted run has so many, and in the predicted run none.
struct LockExits {
    std::uint64_t count{};
    std::vector<std::string> machines{};  ///< whose exits they are compared with
    std::vector<SourceLocation> locations{};
};

struct MeasuredLock {
    std::string id{};
    std::string about{};
    SourceLocation location{};
    std::size_t cpus{};
    LockFigures fitted{};
    LockFigures predicted{};
    LockExits exits{};  ///< count 0: none

    /// Whether the figure is one of its own.
    bool has(std::size_t figure) const;
};

}  // namespace nestwalk
