#pragma once

// Plain accesses in bulk: what a source hands out where a record each would be too slow.

#include "traces/packed_access.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nestwalk {

/// Plain accesses that follow one another in a trace, valid until the source is asked again.
struct AccessRun {
    std::span<const PackedAccess> accesses{};
    std::uint64_t first_line{};  ///< the `line` of the first one's record
    /// For each access, how many lines after the first one's; empty where that is its index.
    std::span<const std::uint32_t> lines_after{};
    /// For each access the `t=` key; empty where they have none.
    std::span<const std::uint64_t> captured_ns{};

    /// `count` of them, from the one at `first`.
    AccessRun part(std::size_t first, std::size_t count) const {
        return {
            .accesses = accesses.subspan(first, count),
            .first_line = lines_after.empty() ? first_line + first : first_line,
            .lines_after = lines_after.empty() ? lines_after : lines_after.subspan(first, count),
            .captured_ns = captured_ns.empty() ? captured_ns : captured_ns.subspan(first, count)};
    }

    /// All but the first `count`.
    AccessRun rest(std::size_t count) const { return part(count, accesses.size() - count); }

    bool empty() const { return accesses.empty(); }
    std::uint64_t line_of(std::size_t index) const {
        return first_line + (lines_after.empty() ? index : lines_after[index]);
    }
};

}  // namespace nestwalk
