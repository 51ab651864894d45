#include "sim/counting.h"

namespace nestwalk {
namespace {

std::size_t size_column(const Outcome& outcome) {
    return outcome.page_level == 0 ? kSizeColumns - 1 : outcome.page_level - 1u;
}

void count_line(const LineUse& line, std::size_t base, Counters& counters) {
    if (line.source == LineSource::kNone) return;
    ++counters[base + static_cast<std::size_t>(line.source) - 1];
}

void count_walk(const Outcome& outcome, Counters& counters) {
    for (const EntryRead& read : outcome.reads) {
        const bool host = read.dimension == Dimension::kHost;
        ++counters[(host ? counter::kHostReads : counter::kGuestReads) + read.level - 1];
        if (read.set_accessed) ++counters[counter::kAccessedWrites + (host ? 1 : 0)];
        if (read.set_dirty) ++counters[counter::kDirtyWrites + (host ? 1 : 0)];
    }
    for (const EntryRead& read : outcome.reads)
        count_line(read.line, counter::kWalkLines, counters);
    for (const StructureLookup& lookup : outcome.lookups) {
        ++counters[counter::kLookups + static_cast<std::size_t>(lookup.group)];
    }
    if (outcome.start_level != 0) ++counters[counter::kWalkStarts + outcome.start_level - 2u];
    if (outcome.dirty_assist) {
        ++counters[counter::kDirtyAssists];
    } else if (outcome.start_level != 0) {
        ++counters[counter::kWalks + static_cast<std::size_t>(outcome.access)];
    }
    counters[counter::kFracturedFills] += outcome.fractured_fill;
    counters[counter::kCoalescedFills] += outcome.coalesced_fill;
    counters[counter::kRightsRewalks] += outcome.rights_rewalk;
    counters[counter::kFaultRewalks] += outcome.fault_rewalk;
}

void count_drops_and_faults(const Outcome& outcome, Counters& counters) {
    const Dropped& dropped = outcome.dropped;
    counters[counter::kDropped] += dropped.translations;
    counters[counter::kDropped + 1] += dropped.global_translations;
    counters[counter::kDropped + 2] += dropped.paging_structures;
    counters[counter::kDropped + 3] += dropped.nested_translations;
    counters[counter::kDropped + 4] += dropped.nested_paging_structures;
    const auto scopes = [&](std::size_t base, const FlushCounts& counts) {
        counters[base] += counts.page;
        counters[base + 1] += counts.context;
        counters[base + 2] += counts.all;
    };
    scopes(counter::kFlushesAsked, outcome.asked);
    scopes(counter::kFlushesPerformed, outcome.performed);
    counters[counter::kFractureFlushes] += outcome.fracture_flushes;
    counters[counter::kSmashFlushes] += outcome.smash_flushes;
    if (outcome.fault.raised() && !outcome.answered) {
        ++counters[counter::kFaults + static_cast<std::size_t>(outcome.fault.kind) - 1];
    }
}

void count_exits(std::uint32_t exits, ExitReason reason, Counters& counters) {
    counters[counter::kExits] += exits;
    counters[counter::kExitsByReason + static_cast<std::size_t>(reason)] += exits;
}

}  // namespace

void count_translation(const Outcome& outcome, Counters& counters) {
    const auto kind = static_cast<std::size_t>(outcome.access);
    const std::size_t cell = kind * kSizeColumns + size_column(outcome);
    if (!outcome.second_page && !outcome.again) ++counters[counter::kReferences + kind];
    ++counters[counter::kTranslations + kind];
    if (outcome.result == TranslationResult::kL1Hit) ++counters[counter::kL1Hits + cell];
    if (outcome.l1_missed) ++counters[counter::kL1Misses + cell];
    if (outcome.result == TranslationResult::kStlbHit) ++counters[counter::kStlbHits + cell];
    if (outcome.stlb_missed) ++counters[counter::kStlbMisses + cell];
    for (const LineUse& line : outcome.lines) count_line(line, counter::kDataLines, counters);
    if (outcome.result == TranslationResult::kL1Hit && !outcome.stale && !outcome.ambiguous &&
        !outcome.dirty_assist) {
        return;  // nothing else can have happened
    }
    const bool hit = outcome.result == TranslationResult::kL1Hit ||
                     outcome.result == TranslationResult::kStlbHit;
    if (outcome.stale) ++counters[hit ? counter::kStaleHits : counter::kStaleWalks];
    if (outcome.stale_rights && hit) ++counters[counter::kStaleRightsHits];
    counters[counter::kAmbiguousHits] += outcome.ambiguous;
    count_walk(outcome, counters);
    count_drops_and_faults(outcome, counters);
    if (outcome.exits > 0) {
        count_exits(outcome.exits, exit_reason_of(outcome.fault.kind), counters);
    }
}

void count_operation(const Operation& operation, const Outcome& outcome, Counters& counters) {
    ++counters[counter::kOperations + operation.index()];
    counters[counter::kIpis] += outcome.ipis;
    const auto* flush = std::get_if<FlushRange>(&operation);
    counters[counter::kInterrupts] += flush != nullptr && flush->remote;
    count_drops_and_faults(outcome, counters);
    if (outcome.exits > 0) count_exits(outcome.exits, exit_reason_of(operation), counters);
}

}  // namespace nestwalk
