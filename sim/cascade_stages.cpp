// The TLBs: what the L1 does not have the STLB is asked for, and what that does not have is walked.

#include "sim/cascade.h"

namespace nestwalk {
namespace {

std::size_t cell(std::size_t kind, std::size_t level) { return kind * kSizeColumns + level - 1; }

}  // namespace

/// Calls `count` with the mark and the number of items that are counted alike.
template <typename Count>
void Cascade::count_each(const StageItem* items, std::size_t count, const Count& counted) const {
    const std::uint64_t differ = intake_.marks_or() ^ intake_.marks_and();
    if ((differ & ItemMark::kCounted) == 0) return counted(ItemMark(intake_.marks_and()), count);
    for (std::size_t at = 0; at < count; ++at) counted(ItemMark(items[at].mark), 1);
}

void Cascade::translate(Counters& counters) {
    if (clock_.core != nullptr) begin_trail();
    const LevelCounts translations = intake_.count(counters);
    std::uint64_t sum = 0;
    for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
        for (std::size_t level = 1; level < CascadePlan::kPageSizes; ++level) {
            counters[counter::kL1Hits + cell(kind, level)] += translations[kind][level];
            sum += translations[kind][level];
        }
    }
    system_.processor().mmu.note_bulk(sum);

    std::size_t lists = 0;
    std::size_t last = 0;
    for (std::size_t l1 = 0; l1 < intake_.lists().size(); ++l1) {
        if (intake_.lists()[l1].count == 0) continue;
        last = l1;
        ++lists;
    }
    const ItemMark every(intake_.marks_and());
    const ItemMark any(intake_.marks_or());
    const bool uniform = lists == 1 && every.level() == any.level() &&
                         every.l1_level() == any.l1_level() && any.level() == any.l1_level() &&
                         every.side() == any.side();
    if (uniform) {
        look_up_uniform(intake_.lists()[last], last, counters);
    } else {
        look_up_mixed(counters);
    }
    if (clock_.core != nullptr) tell(*clock_.core, *clock_.times);
}

LookUpTrail Cascade::trail_to(std::vector<std::uint64_t>& found) {
    if (clock_.core == nullptr) return {};
    return {.notes = trail_.notes.data(), .found = found.data()};
}

// --- Counting -----------------------------------------------------------------------------------

/// Every translation was taken for an L1 hit before, and is taken for an STLB hit now.
void Cascade::count_l1_misses(const StageItem* items, std::size_t count, Counters& counters) const {
    count_each(items, count, [&](ItemMark mark, std::uint64_t times) {
        counters[counter::kL1Hits + cell(mark.kind(), mark.l1_level())] -= times;
        counters[counter::kL1Misses + cell(mark.kind(), mark.level())] += times;
        counters[counter::kStlbHits + cell(mark.kind(), mark.level())] += times;
    });
}

void Cascade::count_stlb_misses(const StageItem* items, std::size_t count,
                                Counters& counters) const {
    count_each(items, count, [&](ItemMark mark, std::uint64_t times) {
        counters[counter::kStlbHits + cell(mark.kind(), mark.level())] -= times;
        counters[counter::kStlbMisses + cell(mark.kind(), mark.level())] += times;
        counters[counter::kWalks + mark.kind()] += times;
    });
}

// --- Look-ups -----------------------------------------------------------------------------------

/// Of items that have one L1, one STLB and the same tags in both.
void Cascade::look_up_uniform(ItemList& list, std::size_t l1, Counters& counters) {
    StageItem* const items = list.items.data();
    std::size_t count = list.count;
    if (l1 < arrays_.size()) count = arrays_[l1].look_up(items, count, trail_to(trail_.l1));
    count_l1_misses(items, count, counters);
    const ItemMark any(intake_.marks_or());
    const CascadePlan::Array stlb = plan_.stlb[any.side()][any.level()];
    if (stlb) count = arrays_[*stlb].look_up(items, count, trail_to(trail_.stlb));
    count_stlb_misses(items, count, counters);
    walk(items, count, counters);
}

void Cascade::look_up_mixed(Counters& counters) {
    for (std::size_t l1 = 0; l1 < intake_.lists().size(); ++l1) {
        ItemList& list = intake_.lists()[l1];
        std::size_t count = list.count;
        if (l1 < arrays_.size()) {
            count = arrays_[l1].look_up(list.items.data(), count, trail_to(trail_.l1));
        }
        count_l1_misses(list.items.data(), count, counters);
        in_order_.put(list.items.data(), count);
    }
    in_order_.take_all([&](StageItem item) {
        const ItemMark mark(item.mark);
        const CascadePlan::Array stlb = plan_.stlb[mark.side()][mark.level()];
        ItemList& list = stlb_lists_[stlb.value_or(plan_.arrays)];
        if (list.items.empty()) list.items.resize(CascadeIntake::kMostItems);
        if (mark.level() != mark.l1_level()) item.tag = stlb_tag(mark);
        list.items[list.count++] = item;
    });
    for (std::size_t stlb = 0; stlb < stlb_lists_.size(); ++stlb) {
        ItemList& list = stlb_lists_[stlb];
        std::size_t count = list.count;
        if (stlb < arrays_.size()) {
            count = arrays_[stlb].look_up(list.items.data(), count, trail_to(trail_.stlb));
        }
        count_stlb_misses(list.items.data(), count, counters);
        in_order_.put(list.items.data(), count);
        list.count = 0;
    }
    std::size_t count = 0;
    in_order_.take_all([&](const StageItem& item) { walks_[count++] = item; });
    walk(walks_.data(), count, counters);
}

/// Of an item that the L1 keeps as a piece of its page.
std::uint64_t Cascade::stlb_tag(ItemMark mark) {
    const VirtAddr va = intake_.address_of(mark.number());
    const Region& region = directory_.at(mark.region());
    const std::uint8_t page = region.pages[RegionDirectory::page_in_region(va)];
    return va.value() >> level_shift(region.level) << MappingTag::kPageShift |
           region.stlb_low[(page & page_bit::kGlobal) != 0 ? 1 : 0];
}

}  // namespace nestwalk
