// Page walks: the paging-structure caches say where each begins, and the entries that it reads are
// looked up in the data caches.

#include "sim/cascade.h"

#include <algorithm>

namespace nestwalk {

namespace {

LineSource source_of(std::size_t level) {
    return static_cast<LineSource>(static_cast<std::size_t>(LineSource::kL1) + level);
}

}  // namespace

void Cascade::walk(const StageItem* items, std::size_t count, Counters& counters) {
    if (count == 0) return;
    WalkCounts counts;
    const bool nested = system_.regime().nested;
    line_ = 0;
    for (const StageItem* item = items; item != items + count; ++item) {
        item += walk_leaves({item, items + count}, counts);
        if (item == items + count) break;
        if (line_ + kMostLines > lines_.size()) read_lines(counters);
        Region& region = directory_.at(ItemMark(item->mark).region());
        reads_ = 0;
        if (clock_.core != nullptr) sequence_ = trail_.sequences[ItemMark(item->mark).number()];
        const std::size_t lookups = trail_.lookups.size();
        const int start = start_of(region, plan_.paging_structures, Group::kPagingStructures);
        ++counts.starts[static_cast<std::size_t>(start)];
        if (nested) {
            walk_nested(region, start, MappingTag::page(item->tag), counts);
        } else {
            walk_native(region, start, MappingTag::page(item->tag), counts);
        }
        if (clock_.core == nullptr) continue;
        trail_.walks.push_back(
            {.start_level = static_cast<std::uint8_t>(start),
             .lookups = static_cast<std::uint8_t>(trail_.lookups.size() - lookups),
             .reads = static_cast<std::uint8_t>(reads_)});
    }
    read_lines(counters);
    counts.add_to(counters);
    if (has_structures_[0]) counters[counter::kLookups] += count;
    if (has_structures_[1]) counters[counter::kLookups + 1] += counts.host_translations;
    if (has_structures_[2]) counters[counter::kLookups + 2] += counts.host_walks;
    if (counts.fractured > 0) system_.processor().mmu.note_fractured_fill();
}

void Cascade::walk_native(Region& region, int start, std::uint64_t page, WalkCounts& counts) {
    for (int level = std::min(start - 1, system_.regime().linear.levels); level > region.leaf;
         --level) {
        read_entry(region.lines[static_cast<std::size_t>(level)]);
        ++counts.guest_reads[static_cast<std::size_t>(level)];
        fill_structure(region, plan_.paging_structures, level);
    }
    read_leaf(region, page, counts);
}

inline void Cascade::read_entry(std::uint64_t line) {
    lines_[line_] = {line, line_};
    ++reads_;
    if (clock_.core != nullptr) {
        trail_.line_notes[line_] = FillNote::of(FillId::of(sequence_, reads_));
    }
    ++line_;
}

inline void Cascade::read_leaf(const Region& region, std::uint64_t page, WalkCounts& counts) {
    read_entry(region.lines[region.leaf] + (region.leaf == 1 ? lines_after(page) : 0));
    ++counts.guest_reads[region.leaf];
}

// --- Nested -------------------------------------------------------------------------------------

/// The page of each of the guest's tables is translated, and then that of the data.
void Cascade::walk_nested(Region& region, int start, std::uint64_t page, WalkCounts& counts) {
    const Regime& regime = system_.regime();
    const bool host_physical = regime.combined_target == CombinedTarget::kHostPhysical;
    bool located = start != kFromRoot && host_physical;
    bool waits = false;  // an entry that is cached once its structure is located
    for (int level = std::min(start - 1, regime.linear.levels); level >= region.leaf; --level) {
        const auto index = static_cast<std::size_t>(level);
        if (!located) translate_host(region.tables[index], counts);
        located = false;
        if (waits) fill_structure(region, plan_.paging_structures, level + 1);
        if (level == region.leaf) break;
        read_entry(region.lines[index]);
        ++counts.guest_reads[index];
        waits = host_physical;
        if (!waits) fill_structure(region, plan_.paging_structures, level);
    }
    read_leaf(region, page, counts);
    const std::size_t in_region = region.level == 1 ? page % kEntriesPerTable : 0;
    translate_host(region.data_place(in_region), counts);
    counts.fractured += region.fractured();
}

void Cascade::translate_host(HostPlace place, WalkCounts& counts) {
    HostRegion& region = directory_.host_at(place.region());
    ++counts.host_translations;
    std::uint64_t tag = 0;
    std::size_t held = kNotHeld;
    if (region.translations) {
        tag = region.tag_of(place);
        held = find_one(arrays_[*region.translations].lanes, tag);
    }
    note_lookup(Group::kNestedTlb, region.translations, held);
    if (held != kNotHeld) return arrays_[*region.translations].use(held);

    ++counts.host_walks;
    const int start =
        start_of(region, plan_.nested_paging_structures, Group::kGuestPhysicalStructures);
    for (int level = std::min(start - 1, system_.regime().host.levels); level > region.leaf;
         --level) {
        read_entry(region.lines[static_cast<std::size_t>(level)]);
        ++counts.host_reads[static_cast<std::size_t>(level)];
        fill_structure(region, plan_.nested_paging_structures, level);
    }
    const std::uint64_t after = region.leaf == 1 ? lines_after(place.page_in_region()) : 0;
    read_entry(region.lines[region.leaf] + after);
    ++counts.host_reads[region.leaf];
    if (region.translations) {
        arrays_[*region.translations].fill(tag, FillId::of(sequence_, reads_));
    }
}

// --- Paging-structure caches --------------------------------------------------------------------

/// The level of the entry that a walk starts from, which is used; kFromRoot if none is cached.
template <typename AnyRegion>
int Cascade::start_of(AnyRegion& region, const CascadePlan::ByLevel& caches, Group group) {
    for (std::size_t level = region.leaf + 1u; level <= kMaxLevels; ++level) {
        if (!caches[level]) continue;
        LookUpStage<Mapping>& stage = arrays_[*caches[level]];
        const std::uint64_t tag = region.structure_tags[level];
        std::size_t& place = region.structure_places[level];
        if (stage.lanes.tags[place] != tag) {
            const std::size_t found = find_one(stage.lanes, tag);
            if (found == kNotHeld) continue;
            place = found;
        }
        note_lookup(group, caches[level], place);
        stage.use(place);
        return static_cast<int>(level);
    }
    note_lookup(group, {}, kNotHeld);
    return kFromRoot;
}

/// A walk caches an entry that it has read, which references another structure.
template <typename AnyRegion>
void Cascade::fill_structure(const AnyRegion& region, const CascadePlan::ByLevel& caches,
                             int level) {
    const auto index = static_cast<std::size_t>(level);
    if (!caches[index]) return;
    arrays_[*caches[index]].fill(region.structure_tags[index], FillId::of(sequence_, reads_));
}

inline void Cascade::note_lookup(Group group, CascadePlan::Array array, std::size_t place) {
    if (clock_.core == nullptr || !has_structures_[static_cast<std::size_t>(group)]) return;
    trail_.lookups.push_back(
        {.group = group,
         .after_reads = static_cast<std::uint8_t>(reads_),
         .filled_by = place == kNotHeld ? FillId{} : arrays_[*array].filled_by(place)});
}

// --- Lines --------------------------------------------------------------------------------------

/// In each cache the lines that the one before does not have.
void Cascade::read_lines(Counters& counters) {
    const std::size_t count = line_;
    line_ = 0;
    const bool trail = clock_.core != nullptr;
    const std::size_t first = trail_.reads.size();
    if (trail) trail_.reads.resize(first + count);
    if (!has_caches_) return;
    // What the outermost cache has room for counts as found there.
    const bool hot = system_.processor().shared_cache.start == CacheStart::kHot;
    std::size_t outermost_filled = 0;
    std::size_t outermost = 0;
    std::size_t missing = count;
    const auto note_each = [&](const auto& source_of) {
        for (std::size_t at = 0; trail && at < missing; ++at) {
            const std::size_t line = LookUpTrail::number_of(lines_[at]);
            trail_.reads[first + line].line = source_of(trail_.line_found[line]);
        }
    };
    for (std::size_t level = 0; level < caches_.size(); ++level) {
        LookUpStage<CacheLine>& cache = caches_[level];
        if (cache.storage == nullptr) continue;
        const std::size_t held = cache.storage->size();
        if (level > 0) note_each([&](std::uint64_t) { return LineUse{source_of(level)}; });
        // Nobody waits for a line of a cache between the first and the last.
        const bool between =
            level > 0 && level + 1 < caches_.size() && caches_[level + 1].storage != nullptr;
        const LookUpTrail kept{.notes = trail_.line_notes.data(),
                               .found = trail_.line_found.data()};
        const std::size_t left =
            cache.look_up(lines_.data(), missing, trail && !between ? kept : LookUpTrail{});
        counters[counter::kWalkLines + level] += missing - left;
        if (trail && level == 0) note_l1_lines({trail_.reads.data() + first, count});
        missing = left;
        outermost = level;
        outermost_filled = cache.storage->size() - held;
    }
    const bool room_counts = hot && outermost > 0;
    note_each([&](std::uint64_t found) {
        const bool had_room = room_counts && found == LookUpTrail::kHadRoom;
        return LineUse{had_room ? source_of(outermost) : LineSource::kMemory};
    });
    const std::size_t found = room_counts ? outermost_filled : 0;
    counters[counter::kWalkLines + outermost] += found;
    counters[counter::kWalkLines + kLineSources - 1] += missing - found;
}

/// As if the L1 had all of them; what it has not is said of the others later.
void Cascade::note_l1_lines(std::span<BulkTranslation::Read> reads) const {
    for (std::size_t line = 0; line < reads.size(); ++line) {
        const std::uint64_t found = trail_.line_found[line];
        reads[line].line = {LineSource::kL1, FillId{found < LookUpTrail::kHadRoom ? found : 0}};
    }
}

}  // namespace nestwalk
