#pragma once

// What the cascade knows of guest-physical addresses under nested paging: how the host's tables
// translate them now, and where a walk of these reads. The second half of RegionDirectory.

#include "models/page_size.h"
#include "models/system.h"
#include "sim/cascade_plan.h"
#include "sim/walk_rehearsal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace nestwalk {

/// A 4-KiB page of guest-physical addresses.
class HostPlace {
public:
    constexpr HostPlace() = default;
    constexpr HostPlace(std::uint32_t region, std::uint64_t gpa)
        : word_(std::uint64_t{region} << 32 | static_cast<std::uint64_t>(table_index(gpa, 1))) {}

    constexpr std::uint32_t region() const { return static_cast<std::uint32_t>(word_ >> 32); }
    constexpr std::uint64_t page_in_region() const { return word_ & (kEntriesPerTable - 1); }
    /// Another page of the same region.
    constexpr HostPlace at(std::uint64_t page_in_region) const {
        HostPlace place;
        place.word_ = (word_ & ~std::uint64_t{kEntriesPerTable - 1}) | page_in_region;
        return place;
    }

private:
    std::uint64_t word_{};
};

/// 2 MiB of guest-physical addresses. All of its pages have one size in the host's tables.
struct HostRegion {
    std::uint64_t number{};             ///< address / 2 MiB
    std::uint8_t leaf{};                ///< level of the host's leaves; 0: nothing is known yet
    CascadePlan::Array translations{};  ///< the nested TLB of this size
    std::uint64_t translation_low{};    ///< the tag of a translation without its page
    /// Tags of the cache lines that hold the entries on the way, by level. Of level 1: entry 0's.
    std::array<std::uint64_t, kMaxLevels + 1> lines{};
    /// The guest-physical paging-structure entries on the way and their tags, those above `leaf`.
    std::array<Mapping, kMaxLevels + 1> structures{};
    std::array<std::uint64_t, kMaxLevels + 1> structure_tags{};
    std::array<std::size_t, kMaxLevels + 1> structure_places{};  ///< where they were seen last

    /// Of a translation, where its size has a nested TLB.
    std::uint64_t tag_of(HostPlace place) const {
        const std::uint64_t page = number * kEntriesPerTable + place.page_in_region();
        const int above = level_shift(leaf) - level_shift(1);
        return page >> above << MappingTag::kPageShift | translation_low;
    }
};

/// What a guest-physical page is translated for.
enum class HostUse : std::uint8_t { kTable, kData };

class HostDirectory {
public:
    HostDirectory(System& system, const CascadePlan& plan) : system_(system), plan_(plan) {}

    /// Forgets all; from now on it is about the tables of `regime`, which is nested.
    void enter(const Regime& regime);

    /// Finds out where the page is and whether everything that is cached for it is what the tables
    /// say. Returns why a walk could do more than translate it, if so.
    OneAtATime admit(std::uint64_t gpa, HostUse use, HostPlace& place);
    HostRegion& at(std::uint32_t index) { return *regions_[index]; }

    /// What an array has for the tag of a guest-physical mapping that the cascade put in.
    Mapping mapping_of(std::uint64_t tag);

private:
    std::uint32_t region_of(std::uint64_t gpa);
    /// False if the walk faults.
    bool rehearse(std::uint64_t gpa);
    const Mapping* cached(MappingRole role, int level) const;
    OneAtATime examine(HostRegion& region, std::uint64_t gpa);
    bool agree(const Mmu::Probes& probes, std::uint64_t gpa, MappingRole role,
               const std::array<const Mapping*, kMaxLevels + 1>& expected);

    System& system_;
    const CascadePlan& plan_;
    Regime regime_{};  ///< as if the guest did not page, so that a walk is the host's alone
    WalkRehearsal walk_{};
    std::vector<std::unique_ptr<HostRegion>> regions_{};
    std::unordered_map<std::uint64_t, std::uint32_t> by_number_{};
};

}  // namespace nestwalk
