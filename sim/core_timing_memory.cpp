// Translations, page walks and the lines that they and the data need: rules 7 to 13.

#include "sim/core_timing.h"

#include <algorithm>

namespace nestwalk {

/// Rules 7 and 8.
void CoreTiming::translate(const Outcome& outcome, TimeLine& line, Counters& counters) {
    const auto wait_for_fill = [&] {
        const Cycles filled = fills_.ready(outcome.filled_by);
        if (filled <= line.end()) return;
        ++counters[counter::kHitsOnPending];
        line.until(filled, CycleCause::kWalk);
    };
    if (!outcome.l1_missed) {
        if (!fills_.empty()) wait_for_fill();
    } else if (!outcome.stlb_missed) {
        line.until(line.end() + stlb_, CycleCause::kStlb);
        wait_for_fill();
    }
    // A hit walks for a dirty assist alone; an address that is not canonical, or is not translated,
    // not at all.
    if (outcome.start_level == 0) return;
    const bool looks_in_stlb = outcome.stlb_missed;
    Cycles asked = line.end();
    if (looks_in_stlb && !parameters_.walker_holds_stlb_lookup) {
        asked += stlb_;
        line.until(asked, CycleCause::kStlb);
    }
    Cycles& walker = *std::min_element(walkers_.begin(), walkers_.end());
    const Cycles begin = std::max(asked, walker);
    line.until(begin, CycleCause::kWalk);
    Cycles look_up_end = begin;
    if (looks_in_stlb && parameters_.walker_holds_stlb_lookup) look_up_end += stlb_;
    line.until(look_up_end, CycleCause::kStlb);
    walker = walk(look_up_end, outcome);
    line.until(walker, CycleCause::kWalk);
    count_walk(asked, begin, walker, outcome.access, counters);
}

/// Rule 9: the end of the walk.
Cycles CoreTiming::walk(Cycles begin, const Outcome& outcome) {
    Cycles now = begin + parameters_.cycles(parameters_.walk);
    std::size_t lookup = 0;
    const auto look_ups = [&](std::size_t reads) {
        for (; lookup < outcome.lookups.size() && outcome.lookups[lookup].after_reads <= reads;
             ++lookup) {
            now = look_up(outcome.lookups[lookup], now);
        }
    };
    look_ups(0);
    fills_.walk_read(now);
    for (std::size_t read = 0; read < outcome.reads.size(); ++read) {
        const EntryRead& entry = outcome.reads[read];
        now = read_line(entry.line, now, l1d_);
        now += parameters_.cycles(parameters_.accessed_dirty) *
               (std::int64_t{entry.set_accessed} + std::int64_t{entry.set_dirty});
        fills_.walk_read(now);
        look_ups(read + 1);
    }
    fills_.walk_ends(now);
    return now;
}

Cycles CoreTiming::look_up(const StructureLookup& lookup, Cycles at) const {
    using Group = StructureLookup::Group;
    const Latency latency =
        lookup.group == Group::kPagingStructures ? parameters_.paging_structure_cache
        : lookup.group == Group::kNestedTlb      ? parameters_.nested_tlb
                                            : parameters_.guest_physical_paging_structure_cache;
    return std::max(at + parameters_.cycles(latency), fills_.ready(lookup.filled_by));
}

/// Rule 10, of a line that is not in the first level.
Cycles CoreTiming::latency_beyond_l1(LineSource source) const {
    if (source == LineSource::kL2) return l2_;
    if (source == LineSource::kL3) return l3_;
    return memory_;  // or a machine without caches
}

/// Rules 10 and 11. `hit` is the latency of the first level.
Cycles CoreTiming::read_line(const LineUse& line, Cycles at, Cycles hit) {
    if (line.source == LineSource::kL1) {
        return std::max(at + hit, fills_.ready(line.filled_by));
    }
    last_line_ = std::max(at + latency_beyond_l1(line.source), last_line_ + line_interval_);
    return last_line_;
}

/// Rules 5, 6, 10, 12 and 13: when the access is complete.
Cycles CoreTiming::data_lines(AccessKind kind, const Outcome& outcome, Cycles at) {
    const bool fetch = kind == AccessKind::kFetch;
    const Cycles hit = fetch ? Cycles{} : l1d_;
    if (outcome.lines.empty()) return kind == AccessKind::kLoad ? at + hit : at;
    Cycles complete = at;
    for (const LineUse& line : outcome.lines) {
        Cycles asked = at;
        Cycles come{};
        if (line.source == LineSource::kL1) {
            come = read_line(line, at, hit);
        } else if (fetch) {
            come = at + latency_beyond_l1(line.source);
        } else {
            Cycles& slot = *std::min_element(misses_.begin(), misses_.end());
            asked = std::max(at, slot);
            come = read_line(line, asked, hit);
            slot = come;
        }
        fills_.data_line(come);
        complete = std::max(complete, kind == AccessKind::kStore ? asked : come);
    }
    return complete;
}

void CoreTiming::count_walk(Cycles asked, Cycles begin, Cycles end, AccessKind kind,
                            Counters& counters) {
    const auto milli = [](Cycles cycles) { return static_cast<std::uint64_t>(cycles.milli); };
    const Cycles latency = end - asked;
    counters[counter::kWalkPending] += milli(end - begin);
    counters[counter::kWalkActive] += milli(newly_busy(begin, end));
    counters[counter::kWalkLatency + static_cast<std::size_t>(kind)] += milli(latency);
    ++counters[counter::kTimedWalks + static_cast<std::size_t>(kind)];
    std::size_t bucket = 0;
    while (bucket + 1 < kWalkBuckets && latency >= Cycles::whole(kWalkBucketBounds[bucket])) {
        ++bucket;
    }
    ++counters[counter::kWalkHistogram + bucket];
}

/// How much of the stretch no walker was busy in so far; from now on one is.
Cycles CoreTiming::newly_busy(Cycles begin, Cycles end) {
    // No walk that is yet to come begins before the next instruction is dispatched.
    std::erase_if(busy_, [&](const BusyStretch& stretch) { return stretch.end <= dispatch_; });
    Cycles covered{};
    Cycles first = begin;
    Cycles last = end;
    std::erase_if(busy_, [&](const BusyStretch& stretch) {
        if (stretch.end < begin || stretch.begin > end) return false;
        covered += std::min(stretch.end, end) - std::max(stretch.begin, begin);
        first = std::min(first, stretch.begin);
        last = std::max(last, stretch.end);
        return true;
    });
    const auto after = std::find_if(busy_.begin(), busy_.end(), [&](const BusyStretch& stretch) {
        return stretch.begin > first;
    });
    busy_.insert(after, {first, last});
    return end - begin - covered;
}

}  // namespace nestwalk
