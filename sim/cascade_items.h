#pragma once

// What the stages of the cascade pass on to each other.

#include "models/data_caches.h"
#include "models/outcome.h"
#include "sim/cascade_kernels.h"
#include "sim/cascade_plan.h"
#include "sim/counters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

/// What goes with an item.
///
///     bits  0-15  its number in the batch
///     bits 16-18  kind and privilege, as the lowest three bits of a PackedAccess
///     bits 20-21  level of its translation as the STLB keeps it
///     bits 22-23  the same as the L1 keeps it
///     bits 32-63  index of its region
class ItemMark {
public:
    /// Kind and levels: what counting tells apart.
    static constexpr std::uint64_t kCounted = 0xf3'0000;

    constexpr explicit ItemMark(std::uint64_t word) : word_(word) {}
    static constexpr std::uint64_t of(std::size_t number, unsigned access_class) {
        return number | std::uint64_t{access_class} << 16;
    }
    /// What all items of a region have that its L1 keeps at the same level.
    static constexpr std::uint64_t of_region(std::uint32_t region, unsigned level,
                                             unsigned l1_level) {
        return std::uint64_t{level} << 20 | std::uint64_t{l1_level} << 22 |
               std::uint64_t{region} << 32;
    }

    constexpr std::size_t number() const { return word_ & 0xffff; }
    constexpr std::size_t kind() const { return word_ >> 16 & 3; }
    constexpr std::size_t level() const { return word_ >> 20 & 3; }
    constexpr std::size_t l1_level() const { return word_ >> 22 & 3; }
    constexpr std::size_t region() const { return word_ >> 32; }
    constexpr std::size_t side() const { return word_ >> 17 & 1; }

private:
    std::uint64_t word_;
};

/// Tags of lines with page-table entries are those of a table's first line; this is what to add for
/// that of an entry, of which a line has eight.
constexpr std::uint64_t lines_after(std::uint64_t entry) {
    return (entry % kEntriesPerTable * kBytesPerEntry / kLineBytes) << DataCache::kNumberShift;
}

/// Which access an item belongs to, or the first of its run of accesses.
struct ItemPosition {
    static constexpr int kLevelShift = 16;
    static constexpr std::uint32_t kAccess = (1u << kLevelShift) - 1;
    /// It is the second page of its access.
    static constexpr std::uint32_t kSecondPage = 1u << 31;

    /// The level that the L1 keeps it at.
    static constexpr std::uint32_t of_level(unsigned level) { return level << kLevelShift; }
};

/// Items that wait for one array.
struct ItemList {
    std::vector<StageItem> items{};
    std::size_t count{};
};

/// Translations by kind of access and by level of a page.
using LevelCounts = std::array<std::array<std::uint64_t, CascadePlan::kPageSizes>, kAccessKinds>;

/// What the walks of a batch did, by level of an entry.
struct WalkCounts {
    std::array<std::uint64_t, kFromRoot + 1> starts{};
    std::array<std::uint64_t, kMaxLevels + 1> guest_reads{};
    std::array<std::uint64_t, kMaxLevels + 1> host_reads{};
    std::uint64_t host_translations{};  ///< of guest-physical pages
    std::uint64_t host_walks{};         ///< those that the nested TLB did not have
    std::uint64_t fractured{};

    void add_to(Counters& counters) const {
        for (std::size_t start = 2; start <= kFromRoot; ++start) {
            counters[counter::kWalkStarts + start - 2] += starts[start];
        }
        for (std::size_t level = 1; level <= kMaxLevels; ++level) {
            counters[counter::kGuestReads + level - 1] += guest_reads[level];
            counters[counter::kHostReads + level - 1] += host_reads[level];
        }
        counters[counter::kFracturedFills] += fractured;
    }
};

/// How far a run of accesses came, and why the one after it goes another way; kNone at the end.
struct CascadeProgress {
    std::size_t done{};
    OneAtATime reason{};
};

}  // namespace nestwalk
