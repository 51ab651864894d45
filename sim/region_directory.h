#pragma once

// What the cascade knows of the pages it meets: how each is translated as the tables are now, which
// accesses to it are plain, and where a walk reads. A page is admitted at its first access: its
// tables are walked, it is mapped if nothing has mapped it yet, and every cached entry that could
// translate it is compared. From then on whatever an array holds for it is what the tables say,
// until they change or others are loaded, when everything is forgotten.

#include "models/page_size.h"
#include "models/system.h"
#include "sim/cascade_plan.h"
#include "sim/host_directory.h"
#include "sim/walk_rehearsal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace nestwalk {

/// Bits of a page: which accesses are plain, by the lowest three bits of a PackedAccess, and more.
namespace page_bit {
/// Its data was referenced, and the footprint has it.
inline constexpr std::uint8_t kTouched = 1u << 3;
/// Its translation is global.
inline constexpr std::uint8_t kGlobal = 1u << 7;
constexpr std::uint8_t plain(unsigned access_class) {
    return static_cast<std::uint8_t>(1u << access_class);
}
}  // namespace page_bit

/// 2 MiB of linear addresses. All of its pages have one size.
struct Region {
    /// How tags of one side's L1 are made.
    struct L1Key {
        std::array<std::uint64_t, 2> low{};  ///< the tag without its page: private, global
        std::uint64_t mark{};                ///< ItemMark::of_region
        std::uint32_t position{};            ///< ItemPosition::of_level
        /// Index into Mmu::arrays(); one behind them: the L1 keeps no such pages.
        std::uint8_t array{};
        std::uint8_t level{};
        std::uint8_t shift{};
    };

    std::uint64_t number{};  ///< address / 2 MiB
    std::uint32_t index{};
    bool known{};          ///< what follows is filled in
    std::uint8_t level{};  ///< of its translations, as the STLB keeps them
    std::uint8_t leaf{};   ///< of the leaves in the linear dimension
    std::array<L1Key, CascadePlan::kSides> l1{};
    std::array<std::uint64_t, 2> stlb_low{};  ///< as L1Key::low, of the STLB's tags
    /// Tags of the cache lines that hold the entries on the way, by level. Of level 1: entry 0's.
    std::array<std::uint64_t, kMaxLevels + 1> lines{};
    /// The paging-structure entries on the way and their tags, by level, those above `leaf`.
    std::array<Mapping, kMaxLevels + 1> structures{};
    std::array<std::uint64_t, kMaxLevels + 1> structure_tags{};
    std::array<std::size_t, kMaxLevels + 1> structure_places{};  ///< where they were seen last
    std::array<std::uint8_t, kEntriesPerTable> pages{};          ///< page_bit

    // Under nested paging.
    std::array<HostPlace, kMaxLevels + 1> tables{};  ///< the table on the way, by level
    HostPlace data{};                                ///< of leaves above level 1: any page
    std::vector<HostPlace> data_pages{};             ///< else of each that is admitted

    bool fractured() const { return level < leaf; }
    /// Of an admitted page.
    HostPlace data_place(std::size_t page) const {
        return leaf == 1 ? data_pages[page] : data.at(page);
    }
};

class RegionDirectory {
    /// Of a hash table: at most an eighth of them hold something, so that few are looked at.
    struct Place {
        static constexpr std::uint64_t kNone = ~std::uint64_t{0};
        std::uint64_t number{kNone};
        Region* region{};
    };
    static std::size_t place_of(std::uint64_t number, int shift) {
        return static_cast<std::size_t>(number * 0x9e37'79b9'7f4a'7c15 >> shift);
    }

public:
    /// Regions that are remembered: some 40 MiB of memory, and 64 GiB of addresses; under nested
    /// paging half as many of up to 100 MiB.
    static constexpr std::size_t kMostRegions = std::size_t{1} << 15;

    RegionDirectory(System& system, const CascadePlan& plan);

    /// To be called before pages are asked for: forgets all if the tables or the regime are others
    /// than at the last call.
    void enter();
    /// Forgets all.
    void clear();
    bool full() const { return count_ == (regime_.nested ? kMostRegions / 2 : kMostRegions); }

    /// Finds regions, until one is added or all are forgotten.
    class Finder {
    public:
        /// The region of an address; null if none of its pages was asked for yet.
        Region* operator()(VirtAddr va) const {
            const std::uint64_t number = va.value() >> level_shift(2);
            for (std::size_t at = place_of(number, shift_);; at = (at + 1) & mask_) {
                if (places_[at].number == number) return places_[at].region;
                if (places_[at].number == Place::kNone) return nullptr;
            }
        }

    private:
        friend RegionDirectory;
        Finder(const Place* places, std::size_t count, int shift)
            : places_(places), mask_(count - 1), shift_(shift) {}
        const Place* places_;
        std::size_t mask_;
        int shift_;
    };
    Finder finder() const { return {places_.data(), places_.size(), place_shift_}; }
    Region* find(VirtAddr va) const { return finder()(va); }
    /// The same of one that is not there yet, with no page admitted; the directory is not full.
    Region& add(VirtAddr va);
    Region& at(std::size_t index) { return *regions_[index]; }
    HostRegion& host_at(std::uint32_t index) { return host_.at(index); }

    /// Finds out which accesses to the page are plain, and maps it if it was never touched.
    /// `privilege` is that of the access that comes now. Returns why none is plain, if so.
    OneAtATime admit(Region& region, VirtAddr va, Privilege privilege);
    /// The page may not be what it was.
    void forget(VirtAddr va) {
        if (Region* const region = find(va))
            region->pages[page_in_region(va)] &= page_bit::kTouched;
    }

    /// What an array has for a tag that the cascade put in.
    Mapping mapping_of(std::uint64_t tag);

    static std::size_t page_in_region(VirtAddr va) {
        return static_cast<std::size_t>(table_index(va.value(), 1));
    }

private:
    static constexpr std::size_t kFewestPlaces = 256;

    /// A mapping that was made before, and that nothing changes but what makes all forgotten.
    struct Made {
        std::uint64_t tag{};
        std::uint64_t epoch{};
        Mapping mapping{};
    };
    static constexpr std::size_t kMostMade = 2048;

    void insert(Region& region);
    Mapping make(std::uint64_t tag);
    void resize(std::size_t places);
    /// False if the walk faults.
    bool rehearse(const Region& region, VirtAddr va);
    OneAtATime examine(Region& region, VirtAddr va);
    OneAtATime admit_tables(Region& region);
    OneAtATime admit_data(Region& region, VirtAddr va);
    Mapping translation_of(std::uint64_t tag);
    /// Whether every entry that a look-up of the address could find is what the tables say.
    bool translations_agree(const Region& region, VirtAddr va, const Mapping& now);
    bool structures_agree(const Region& region, VirtAddr va);
    bool agree(const Mmu::Probe& probe, VirtAddr va, MappingRole role, const Mapping* expected);
    bool anything_cached(VirtAddr va);
    void make_keys(Region& region) const;

    System& system_;
    const CascadePlan& plan_;
    Regime regime_{};
    std::size_t vcpu_{};
    bool entered_{};
    WalkRehearsal walk_{};
    HostDirectory host_;
    std::vector<std::unique_ptr<Region>> regions_{};  ///< the first `count_` are in use
    std::size_t count_{};
    /// By the tag of what covers more than a region: one of the regions.
    std::unordered_map<std::uint64_t, const Region*> by_tag_{};
    std::vector<Made> made_;  ///< by hash of its tag
    std::uint64_t epoch_{1};  ///< others are forgotten
    std::vector<Place> places_{};
    int place_shift_{};
};

}  // namespace nestwalk
