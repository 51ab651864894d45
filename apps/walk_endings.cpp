// How the caches answered a translation and how it ended, in sentences.

#include "apps/walk_words.h"

#include <fmt/format.h>

namespace nestwalk {
namespace {

bool is_hit(const Outcome& outcome) {
    return outcome.result == TranslationResult::kL1Hit ||
           outcome.result == TranslationResult::kStlbHit;
}

const char* l1_name(const TracedWalk& walk) {
    return walk.access.kind == AccessKind::kFetch ? "L1 iTLB" : "L1 dTLB";
}

std::string start_words(const TracedWalk& walk) {
    const Regime& regime = walk.regime;
    const int start = walk.outcome.start_level;
    if (!regime.paging) return "Paging is off in the guest: its linear address is guest-physical.";
    if (start == kFromRoot) {
        return fmt::format(
            "Paging-structure caches: nothing for this address; the walk starts at "
            "the root, in the {} that CR3 names.",
            structure_name(regime.linear.levels));
    }
    const std::string place =
        regime.nested && regime.combined_target == CombinedTarget::kGuestPhysical
            ? ", whose guest-physical address it gives"
            : "";
    return fmt::format(
        "Paging-structure caches: {} holds the {} of this address; the walk starts "
        "in the {} it leads to{}.",
        joined(walk.start_arrays), entry_name(regime, Dimension::kGuest, start),
        structure_name(start - 1), place);
}

std::string last_entry_name(const TracedWalk& walk) {
    if (walk.steps.empty()) return "entry";
    const EntryRead& read = walk.steps.back().read;
    return entry_name(walk.regime, read.dimension, read.level);
}

/// SDM "Page-Fault Exceptions": bits P, W/R, U/S, RSVD and I/D of the error code.
unsigned error_code(const TracedWalk& walk) {
    const Fault& fault = walk.outcome.fault;
    const ControlFlags& flags = walk.regime.flags;
    const bool fetch = walk.access.kind == AccessKind::kFetch &&
                       (flags.test(ControlFlag::kNxe) || flags.test(ControlFlag::kSmep));
    return (fault.present ? 1u : 0u) | (walk.access.kind == AccessKind::kStore ? 2u : 0u) |
           (walk.access.privilege == Privilege::kUser ? 4u : 0u) | (fault.reserved ? 8u : 0u) |
           (fetch ? 16u : 0u);
}

std::string refused_words(const TracedWalk& walk) {
    const auto tables = Mmu::walk_uncached(walk.regime, walk.access.va);
    if (!tables) return "the rights do not allow it";
    const Rights& rights = tables->result().rights;
    if (!rights.user) return "an entry on the way has U/S = 0, so user code may not use the page";
    if (walk.access.kind == AccessKind::kStore) {
        return "an entry on the way has R/W = 0, so the page may not be written";
    }
    return "an entry on the way has XD = 1, so the page may not be executed";
}

std::string page_fault_words(const TracedWalk& walk) {
    const Fault& fault = walk.outcome.fault;
    const std::string entry = last_entry_name(walk);
    const std::string why = fault.reserved  ? "the " + entry + " has a reserved bit set"
                            : fault.present ? refused_words(walk)
                                            : "the " + entry + " is not present";
    return fmt::format("Page fault (#PF), error code {:#x}: {}.", error_code(walk), why);
}

std::string general_protection_words(const TracedWalk& walk) {
    const int top = level_shift(walk.regime.linear.levels + 1) - 1;
    return fmt::format(
        "General-protection exception (#GP): the address is not canonical. With {} "
        "levels, bits 63 to {} must all be equal. No TLB is asked and nothing is read.",
        walk.regime.linear.levels, top);
}

std::string host_fault_words(const TracedWalk& walk) {
    const Fault& fault = walk.outcome.fault;
    const bool amd = walk.regime.vendor == Vendor::kAmd;
    const bool misformed = fault.kind == FaultKind::kEptMisconfiguration;
    const std::string name = misformed ? "EPT misconfiguration"
                             : amd     ? "Nested page fault (#VMEXIT(NPF))"
                                       : "EPT violation";
    const bool on_last_read =
        !walk.steps.empty() && walk.steps.back().read.dimension == Dimension::kHost;
    std::string why = "the host does not allow a " +
                      std::string(fault.on_guest_table ? fault.for_entry_write ? "write" : "read"
                                                       : name_of(fault.access)) +
                      " there";
    if (on_last_read && !walk.steps.back().entry.present) {
        why = "the " + last_entry_name(walk) + " is not present";
    } else if (on_last_read && walk.steps.back().entry.misformed) {
        why = "the " + last_entry_name(walk) + " is misformed";
    }
    std::string text =
        fmt::format("{} at guest-physical {}, a VM exit: {}.", name, hex(fault.gpa.value()), why);
    if (!fault.on_guest_table) return text;
    text += " A paging structure of the guest is there.";
    if (!fault.for_entry_write) return text;
    return text + (on_last_read || walk.regime.host_accessed_dirty
                       ? " With accessed and dirty flags in the host's tables, reading a guest's "
                         "entry counts as a write."
                       : " The walk must set an A or D bit in the guest's entry.");
}

std::string dropped_words(const Dropped& dropped) {
    const auto counted = [](std::uint64_t count, const char* one, const char* many) {
        return count == 0 ? "" : fmt::format("{} {}", count, count == 1 ? one : many);
    };
    std::string text;
    for (const std::string& part :
         {counted(dropped.translations, "translation", "translations"),
          counted(dropped.paging_structures, "paging-structure entry", "paging-structure entries"),
          counted(dropped.nested_translations, "nested translation", "nested translations"),
          counted(dropped.nested_paging_structures, "guest-physical paging-structure entry",
                  "guest-physical paging-structure entries")}) {
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    }
    return text;
}

std::string fault_words(const TracedWalk& walk) {
    switch (walk.outcome.fault.kind) {
        case FaultKind::kPageFault:
            return page_fault_words(walk);
        case FaultKind::kGeneralProtection:
            return general_protection_words(walk);
        default:
            return host_fault_words(walk);
    }
}

}  // namespace

std::vector<std::string> lookup_words(const TracedWalk& walk) {
    const Outcome& outcome = walk.outcome;
    if (outcome.fault.kind == FaultKind::kGeneralProtection) return {};
    if (outcome.result == TranslationResult::kNone) {
        return {"Paging is off: the linear address is the physical one."};
    }
    std::vector<std::string> lines;
    if (outcome.rights_rewalk) {
        lines.emplace_back(
            "TLB: an entry was found, but its rights refuse the access. It may be out "
            "of date, so it is dropped and the tables are walked.");
    } else if (outcome.result == TranslationResult::kL1Hit) {
        lines.push_back(std::string(l1_name(walk)) + ": hit.");
    } else if (outcome.result == TranslationResult::kStlbHit) {
        lines.push_back(std::string(l1_name(walk)) + ": miss. STLB: hit.");
    } else {
        lines.push_back(std::string(l1_name(walk)) + ": miss. STLB: miss.");
    }
    if (outcome.dirty_assist) {
        lines.emplace_back(
            "Dirty assist: the entry was cached without D, so a store must walk the "
            "tables to set it.");
    }
    if (outcome.start_level != 0) lines.push_back(start_words(walk));
    return lines;
}

std::vector<std::string> ending_words(const TracedWalk& walk) {
    const Outcome& outcome = walk.outcome;
    std::vector<std::string> lines;
    if (outcome.fault.raised()) lines.push_back(fault_words(walk));
    const std::string dropped = dropped_words(outcome.dropped);
    if (!dropped.empty()) lines.push_back("Dropped from the caches: " + dropped + ".");
    if (is_hit(outcome) && !outcome.dirty_assist) {
        lines.emplace_back("TLB hit: no paging structure is read.");
    }
    if (outcome.stale) {
        lines.emplace_back("Stale: a walk that used no cache would give another answer.");
    }
    if (outcome.ambiguous) {
        lines.emplace_back(
            "Ambiguous: cached pages of more than one size match; the smallest is "
            "used.");
    }
    return lines;
}

}  // namespace nestwalk
