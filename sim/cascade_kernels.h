#pragma once

// The inner loops of the cascade: which accesses go to another page than the one before, and the
// look-up of a list of tags in one set-associative array. They are compiled for several instruction
// sets, of which the best that the processor has is chosen at run time.

#include "models/mapping_tag.h"
#include "models/set_lanes.h"
#include "traces/packed_access.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace nestwalk {

/// What a stage looks up, and what goes with it to the next one if it is not found.
struct StageItem {
    std::uint64_t tag{};
    std::uint64_t mark{};
};

/// Whether a list is expected to be nearly all hits or nearly all misses: then it is best to guess,
/// and otherwise to do what both need.
enum class Hits : std::uint8_t { kAlike, kMixed };

/// What a look-up notes for who wants to know who put in what. Notes are less than kHadRoom.
struct LookUpTrail {
    static constexpr std::uint64_t kHadRoom = ~std::uint64_t{0} - 1;
    static constexpr std::uint64_t kMissed = ~std::uint64_t{0};

    std::uint64_t* filled{};       ///< the note of what each way holds, way by way; null: keep none
    const std::uint64_t* notes{};  ///< of each item, by the lowest bits of its mark
    /// The note of what the item found; else kMissed, or kHadRoom where it replaced nothing.
    std::uint64_t* found{};

    static constexpr std::size_t number_of(const StageItem& item) { return item.mark & 0xffff; }
};

/// Looks up the items in order. One that is found is used; for one that is not, the first free way
/// is filled or the policy's victim replaced. Those not found are moved to the front; returns how
/// many.
std::size_t look_up(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                    const LookUpTrail& trail);
/// The ways that a mapping may be put in, by its level. `count` is not 0.
using WaysByLevel = std::array<WayRange, kMaxLevels + 1>;
/// The same of mappings, whose level says which ways are filled.
std::size_t look_up_divided(const SetLanes& lanes, const WaysByLevel& ways, StageItem* items,
                            std::size_t count, const LookUpTrail& trail);

/// Where the tag is, way by way over all sets; nothing if it is not there. No use of it.
inline constexpr std::size_t kNotHeld = ~std::size_t{0};
std::size_t find_one(const SetLanes& lanes, std::uint64_t tag);
/// Puts in a tag that is not there, into one of these ways. Returns where.
std::size_t fill_one(const SetLanes& lanes, WayRange ways, std::uint64_t tag);

/// Accesses of each kind that is no load.
struct KindSums {
    std::uint64_t stores{};
    std::uint64_t fetches{};
};

/// Of a position that new_pages() gives: the access crosses a 4-KiB page.
inline constexpr std::uint32_t kCrosses = 1u << 31;

/// The positions of accesses that do not merely repeat the one before: to another page, by other
/// privilege, a fetch and no fetch, or one of both crosses a 4-KiB page (kCrosses). The first
/// access is always among them. `positions` has room for eight more than there are accesses. Counts
/// kinds in `sums`.
std::size_t new_pages(const PackedAccess* accesses, std::size_t count, std::uint32_t* positions,
                      KindSums& sums);

/// The instruction set that was chosen: "AVX3", "AVX2", "SSE2".
const char* kernel_target();

}  // namespace nestwalk
