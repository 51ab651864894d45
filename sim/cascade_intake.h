#pragma once

// The first stage of the cascade: from accesses to what the L1 TLBs have to look up. Repeats of a
// page are dropped, pages that were not met before are admitted, in the order of the accesses, and
// an access that is not plain ends the batch.

#include "models/system.h"
#include "sim/cascade_items.h"
#include "sim/footprint.h"
#include "sim/region_directory.h"
#include "traces/packed_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

class CascadeIntake {
public:
    static constexpr std::size_t kMostAccesses = 2048;
    /// An access that crosses a page is two items.
    static constexpr std::size_t kMostItems = 2 * kMostAccesses;

    CascadeIntake(System& system, const CascadePlan& plan, RegionDirectory& directory);

    /// Takes accesses from the front, at most kMostAccesses. The reason for which it stops before
    /// is not kNone.
    CascadeProgress take(std::span<const PackedAccess> accesses, Footprint& footprint);

    // Of what was taken last.
    /// The access that was looked at last, of those that needed a closer look.
    std::size_t position() const { return position_; }
    /// By index of the L1 array, and behind them that of items that no L1 keeps.
    std::vector<ItemList>& lists() { return lists_; }
    std::size_t items() const { return items_; }
    /// What the marks of all items have in common, and what any of them has.
    std::uint64_t marks_and() const { return marks_and_; }
    std::uint64_t marks_or() const { return marks_or_; }
    std::span<const PackedAccess> accesses() const { return accesses_; }
    /// Which access an item belongs to.
    std::size_t position_of(std::size_t item) const {
        return positions_[item] & ItemPosition::kAccess;
    }
    bool is_second_page(std::size_t item) const {
        return (positions_[item] & ItemPosition::kSecondPage) != 0;
    }
    /// The address of an item.
    VirtAddr address_of(std::size_t item) const;
    /// Counts references and translations. Returns the translations by the level of the L1.
    LevelCounts count(Counters& counters) const;

private:
    /// What a page must have (page_bit), by the class of the access.
    using Needs = std::array<unsigned, 8>;

    struct Found {
        Region* region{};
        std::uint8_t page{};
        OneAtATime reason{};
    };

    void begin();
    std::size_t find_runs();
    CascadeProgress take_runs(std::size_t runs, Footprint& footprint);
    Needs needs_of_batch() const;
    std::size_t take_plain_runs(std::size_t at, std::size_t runs, const Needs& needs);
    static StageItem item_of(const Region::L1Key& key, std::uint8_t page, VirtAddr va,
                             unsigned access_class, std::size_t number);
    /// One run of accesses to a page, access by access.
    CascadeProgress take_carefully(std::size_t from, std::size_t to, Footprint& footprint);
    Found admitted(VirtAddr va, const PackedAccess& access, Footprint& footprint);
    OneAtATime take_crossing(std::size_t at, const Found& first, Footprint& footprint);
    void add(const Region& region, std::uint8_t page, VirtAddr va, unsigned access_class,
             std::uint32_t position);
    std::array<std::uint64_t, kAccessKinds> kinds() const;

    System& system_;
    const CascadePlan& plan_;
    RegionDirectory& directory_;
    std::span<const PackedAccess> accesses_{};
    std::size_t position_{};
    std::vector<std::uint32_t> new_pages_;
    std::vector<std::uint32_t> positions_;  ///< ItemPosition of each item
    std::size_t items_{};
    std::vector<ItemList> lists_{};
    std::vector<StageItem*> ends_{};  ///< of the lists, while they are made
    KindSums sums_{};                 ///< of the first `summed_` accesses
    std::size_t summed_{};
    std::array<std::uint64_t, kAccessKinds> second_pages_{};
    std::uint64_t marks_or_{};
    std::uint64_t marks_and_{};
    std::array<bool, 2> straight_{};  ///< by privilege: nothing happens before such an access
};

}  // namespace nestwalk
