#pragma once

// Which array of a machine each stage of the cascade looks up, or why the machine's accesses go one
// at a time. A stage reads its own arrays only, so no array may belong to two of them.

#include "models/mmu.h"
#include "models/page_size.h"
#include "sim/one_at_a_time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwalk {

struct CascadePlan {
    /// An index into Mmu::arrays().
    using Array = std::optional<std::uint32_t>;
    using ByLevel = std::array<Array, kMaxLevels + 1>;
    /// The array of an L1 that keeps pages of a size, and as pages of which level.
    struct L1 {
        Array array{};
        std::uint8_t level{};
    };
    static constexpr std::size_t kSides = 2;      ///< data, instruction
    static constexpr std::size_t kPageSizes = 4;  ///< by level; 0 is none

    OneAtATime reason{};  ///< if not kNone, the rest means nothing
    std::array<std::array<L1, kPageSizes>, kSides> l1{};
    std::array<std::array<Array, kPageSizes>, kSides> stlb{};
    ByLevel paging_structures{};
    ByLevel nested_translations{};
    ByLevel nested_paging_structures{};
    std::uint8_t arrays{};  ///< how many the machine has
    /// A repeated access to a page does more than to hit the L1, so it may not be dropped.
    bool repeats_matter{};
};

CascadePlan plan_of(Mmu& mmu);

}  // namespace nestwalk
