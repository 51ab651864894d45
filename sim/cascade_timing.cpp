// What the cascade tells who keeps the time: access by access, in order, from what the stages left.

#include "sim/cascade.h"

#include <algorithm>

namespace nestwalk {

void Cascade::make_trail() {
    for (std::size_t item = 0; item < CascadeIntake::kMostItems; ++item) {
        trail_.notes.push_back(FillNote::of_item(item));
    }
    for (std::vector<std::uint64_t>* each : {&trail_.l1, &trail_.stlb, &trail_.sequences}) {
        each->resize(CascadeIntake::kMostItems);
    }
    trail_.fills.resize(CascadeIntake::kMostItems);
    trail_.line_notes.resize(lines_.size());
    trail_.line_found.resize(lines_.size());
    for (LookUpStage<CacheLine>& stage : caches_) stage.forget_notes();
}

/// Before the stages look anything up.
void Cascade::begin_trail() {
    trail_.begin();
    const std::size_t items = intake_.items();
    const std::uint64_t before = system_.mmu().sequence();
    std::fill_n(trail_.l1.begin(), items, LookUpTrail::kMissed);
    std::fill_n(trail_.stlb.begin(), items, LookUpTrail::kMissed);
    std::uint64_t seconds = 0;
    for (std::size_t item = 0; item < items; ++item) {
        seconds += intake_.is_second_page(item);
        trail_.sequences[item] = before + intake_.position_of(item) + seconds + 1;
    }
}

/// Once everything was looked up: each item, and then the accesses that repeat it.
[[gnu::flatten]] void Cascade::tell(CoreTiming& core, Counters& times) {
    const std::size_t items = intake_.items();
    const std::span<const PackedAccess> accesses = intake_.accesses();
    Walks walks;
    for (std::size_t item = 0; item < items; ++item) {
        const std::size_t position = intake_.position_of(item);
        telling_ = position;
        const bool hit = trail_.l1[item] < LookUpTrail::kHadRoom && !intake_.is_second_page(item);
        if (hit) {
            trail_.fills[item] = trail_.resolve(trail_.l1[item]);
        } else {
            tell_item(item, accesses[position], walks, core, times);
        }
        // An item that is followed by its second page has no repeats.
        const std::size_t next = item + 1 < items ? intake_.position_of(item + 1) : accesses.size();
        const std::size_t from = hit ? position : position + 1;
        const std::size_t to = std::max(next, position + 1);
        if (to > from) core.hits(accesses.subspan(from, to - from), trail_.fills[item], times);
    }
    for (LookUpStage<Mapping>& stage : arrays_) {
        if (!stage.noted) continue;
        stage.noted = false;
        for (std::uint64_t& note : stage.filled) note = FillNote::of(trail_.resolve(note));
    }
}

/// The access of an item that the L1 does not have, or its second page.
void Cascade::tell_item(std::size_t item, PackedAccess access, Walks& walks, CoreTiming& core,
                        Counters& times) {
    BulkTranslation bulk{.second_page = intake_.is_second_page(item),
                         .access = access.kind(),
                         .sequence = trail_.sequences[item]};
    FillId fill{};
    if (trail_.l1[item] < LookUpTrail::kHadRoom) {
        fill = bulk.filled_by = trail_.resolve(trail_.l1[item]);
    } else if (trail_.stlb[item] < LookUpTrail::kHadRoom) {
        fill = bulk.filled_by = trail_.resolve(trail_.stlb[item]);
        bulk.l1_missed = true;
    } else {
        const CascadeTrail::Walked walked = trail_.walks[walks.walk++];
        bulk.l1_missed = bulk.stlb_missed = true;
        bulk.start_level = walked.start_level;
        bulk.lookups = {trail_.lookups.data() + walks.lookup, walked.lookups};
        bulk.reads = {trail_.reads.data() + walks.read, walked.reads};
        walks.lookup += walked.lookups;
        walks.read += walked.reads;
        fill = FillId::of(bulk.sequence, walked.reads);
    }
    trail_.fills[item] = fill;
    core.translation(access, bulk, times);
}

// --- Who filled what ----------------------------------------------------------------------------

/// Takes over what the entries say, unless that is over.
void Cascade::adopt_fills() {
    if (fills_adopted_) return;
    fills_adopted_ = true;
    if (trail_.notes.empty()) make_trail();
    oldest_note_ = FillNote::of(FillId::of(system_.mmu().sequence() + 1, 0));
    for (LookUpStage<Mapping>& stage : arrays_) stage.forget_notes();
    caches_[0].forget_notes();
    if (clock_.core->fills_are_over()) return;
    oldest_note_ = 0;
    for (LookUpStage<Mapping>& stage : arrays_) {
        stage.for_each(0, [](Mapping& mapping, std::uint64_t& note) {
            note = FillNote::of(mapping.bookkeeping.filled_by);
        });
    }
    // It is of no other cache that anybody waits for a line.
    caches_[0].for_each(
        0, [](CacheLine& line, std::uint64_t& note) { note = FillNote::of(line.filled_by); });
}

/// Of entries that were filled since, or of all: one may have been copied from another.
void Cascade::hand_back_fills() {
    if (!fills_adopted_) return;
    fills_adopted_ = false;
    for (LookUpStage<Mapping>& stage : arrays_) {
        stage.for_each(oldest_note_, [](Mapping& mapping, std::uint64_t& note) {
            mapping.bookkeeping.filled_by = FillId{note};
        });
    }
    caches_[0].for_each(
        oldest_note_, [](CacheLine& line, std::uint64_t& note) { line.filled_by = FillId{note}; });
}

}  // namespace nestwalk
