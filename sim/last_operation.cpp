#include "sim/last_operation.h"

namespace nestwalk {
namespace {

void add_drops(const Outcome& outcome, LastOperation& last) {
    last.exits += outcome.exits;
    last.fracture_flushes += outcome.fracture_flushes;
    last.smash_flushes += outcome.smash_flushes;
    last.dropped.translations += outcome.dropped.translations;
    last.dropped.global_translations += outcome.dropped.global_translations;
    last.dropped.paging_structures += outcome.dropped.paging_structures;
    last.dropped.nested_translations += outcome.dropped.nested_translations;
    last.dropped.nested_paging_structures += outcome.dropped.nested_paging_structures;
}

}  // namespace

void LastOperation::begin(Detail wanted) {
    *this = LastOperation{};
    detail = wanted;
}

void LastOperation::on_translation(const Outcome& outcome) {
    const bool l1_hit = outcome.result == TranslationResult::kL1Hit;
    const bool stlb_hit = outcome.result == TranslationResult::kStlbHit;
    // Only the last try counts, as a hit, a miss or a fault.
    if (outcome.again && !outcome.second_page) translations = l1_hits = stlb_hits = misses = 0;
    ++translations;
    l1_hits += l1_hit;
    stlb_hits += stlb_hit;
    misses += outcome.result == TranslationResult::kMiss;
    (l1_hit || stlb_hit ? stale_hits : stale_walks) += outcome.stale;
    ambiguous_hits += outcome.ambiguous;
    rights_rewalks += outcome.rights_rewalk;
    fault_rewalks += outcome.fault_rewalk;
    dirty_assists += outcome.dirty_assist;
    fractured_fills += outcome.fractured_fill;
    if (outcome.page_level != 0) {
        page_level = outcome.page_level;
        whole_level = outcome.whole_level;
    }
    if (outcome.start_level != 0) {
        if (++walks == 1) start_level = outcome.start_level;
        guest_refs += outcome.reads_of(Dimension::kGuest);
        host_refs += outcome.reads_of(Dimension::kHost);
        if (detail == Detail::kReads && walks <= kMostWalksKept) {
            first_walks.push_back({outcome.reads, !outcome.fault.raised()});
        }
    }
    if (outcome.fault.raised() && !outcome.answered) fault = outcome.fault.kind;
    if (outcome.fault.exits()) exit_reason = name_of(outcome.fault.kind);
    add_drops(outcome, *this);
}

void LastOperation::on_operation(const Operation& operation, const Outcome& outcome) {
    if (outcome.fault.raised()) fault = outcome.fault.kind;
    add_drops(outcome, *this);
    if (outcome.exits == 0) return;
    const auto* record = std::get_if<VmExit>(&operation);
    exit_reason = record != nullptr ? record->reason : name_of(operation);
}

}  // namespace nestwalk
