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

/// Once everything was looked up.
void Cascade::tell(CoreTiming& core, Counters& times) {
    const std::size_t items = intake_.items();
    const std::span<const PackedAccess> accesses = intake_.accesses();
    Walks walks;
    for (std::size_t item = 0; item < items;) {
        const std::size_t from = intake_.position_of(item);
        tell_item(item, walks, core, times);
        std::size_t next = item + 1;
        FillId last = trail_.fills[item];
        while (next < items && intake_.is_second_page(next)) {
            tell_item(next, walks, core, times);
            last = trail_.fills[next++];
        }
        const std::size_t to = next < items ? intake_.position_of(next) : accesses.size();
        if (to > from + 1) core.hits(accesses.subspan(from + 1, to - from - 1), last, times);
        item = next;
    }
    for (LookUpStage<Mapping>& stage : arrays_) {
        if (!stage.noted) continue;
        stage.noted = false;
        for (std::uint64_t& note : stage.filled) note = FillNote::of(trail_.resolve(note));
    }
}

/// The access of the item, or its second page.
void Cascade::tell_item(std::size_t item, Walks& walks, CoreTiming& core, Counters& times) {
    const std::size_t position = intake_.position_of(item);
    telling_ = position;
    const std::span<const PackedAccess> access = intake_.accesses().subspan(position, 1);
    const bool second = intake_.is_second_page(item);
    FillId& fill = trail_.fills[item];
    if (trail_.l1[item] < LookUpTrail::kHadRoom) {
        fill = trail_.resolve(trail_.l1[item]);
        if (!second) return core.hits(access, fill, times);
    }
    outcome_.clear();
    outcome_.second_page = second;
    outcome_.access = access.front().kind();
    outcome_.sequence = trail_.sequences[item];
    if (trail_.l1[item] < LookUpTrail::kHadRoom) {
        outcome_.result = TranslationResult::kL1Hit;
        outcome_.filled_by = fill;
    } else if (trail_.stlb[item] < LookUpTrail::kHadRoom) {
        fill = trail_.resolve(trail_.stlb[item]);
        outcome_.result = TranslationResult::kStlbHit;
        outcome_.l1_missed = true;
        outcome_.filled_by = fill;
    } else {
        const CascadeTrail::Walked walked = trail_.walks[walks.walk++];
        outcome_.result = TranslationResult::kMiss;
        outcome_.l1_missed = outcome_.stlb_missed = true;
        outcome_.start_level = walked.start_level;
        for (std::size_t lookup = 0; lookup < walked.lookups; ++lookup)
            outcome_.lookups.push_back(trail_.lookups[walks.lookup++]);
        for (std::size_t read = 0; read < walked.reads; ++read)
            outcome_.reads.push_back({.line = trail_.lines[walks.read++]});
        fill = FillId::of(outcome_.sequence, walked.reads);
    }
    core.translation(access.front().access(), outcome_, times);
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
