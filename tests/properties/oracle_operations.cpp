// What each operation removes from the oracle's sets. The comments name the rule in the manuals'
// sections "Operations that Invalidate TLBs and Paging-Structure Caches" (SDM), "Invalidating
// Cached Translation Information" (SDM, VPIDs and EPT) and "TLB Management", "TLB Flush" (APM).

#include "tests/properties/oracle.h"

#include <algorithm>

namespace nestwalk::test {

// --- Sets ---------------------------------------------------------------------------------------

/// All of one VPID or ASID, globals included. Guest-physical mappings are not touched.
void Oracle::drop_context(std::uint16_t context) {
    drop_pages([=](const CachedPage& page) { return page.tags.context == context; });
    drop_tables([=](const CachedTable& table) { return table.tags.context == context; });
}

void Oracle::drop_everything() { sets().clear(); }

void Oracle::drop_non_global(std::uint16_t context, std::uint16_t pcid) {
    drop_pages([=](const CachedPage& page) {
        return page.tags.context == context && page.tags.pcid == pcid && !page.global;
    });
    drop_tables([=](const CachedTable& table) {
        return table.tags.context == context && table.tags.pcid == pcid;
    });
}

void Oracle::drop_pcid_and_globals(std::uint16_t context, std::uint16_t pcid) {
    drop_pages([=](const CachedPage& page) {
        return page.tags.context == context && (page.tags.pcid == pcid || page.global);
    });
    drop_tables([=](const CachedTable& table) {
        return table.tags.context == context && table.tags.pcid == pcid;
    });
}

/// What a page fault on `va` removes: the translation usable now and the entries that lead to it.
void Oracle::drop_page_and_path(std::uint64_t va) {
    const std::uint16_t context = current_context();
    const std::uint16_t pcid = current_pcid();
    drop_pages([=](const CachedPage& page) {
        return page.tags.context == context && (page.tags.pcid == pcid || page.global) &&
               page.whole_covers(va);
    });
    drop_tables([=](const CachedTable& table) {
        return table.tags.context == context && table.tags.pcid == pcid && table.leads_to(va);
    });
    if (sets().pages.empty()) cpu().fractured = false;
}

/// What an EPT violation or nested page fault removes: the combined mappings of `va` under the
/// current tags, and the guest-physical mappings of `gpa`.
void Oracle::drop_for_violation(std::uint64_t va, std::uint64_t gpa) {
    const Mode now = mode();
    drop_pages(
        [&](const CachedPage& page) { return page.usable(now.tags) && page.whole_covers(va); });
    drop_tables(
        [&](const CachedTable& table) { return table.tags == now.tags && table.leads_to(va); });
    remove_where(sets().host_pages, [&](const CachedHostPage& page) {
        return page.tag == now.host_tag && page.covers(gpa);
    });
    remove_where(sets().host_tables, [&](const CachedHostTable& table) {
        return table.tag == now.host_tag && table.leads_to(gpa);
    });
    if (sets().pages.empty()) cpu().fractured = false;
}

/// VM entry and VM exit without VPIDs empty VPID 0, globals included.
void Oracle::leave_or_enter_guest() {
    if (!amd() && !setting_.system.vpid) drop_context(0);
}

// --- Page fracturing ----------------------------------------------------------------------------

bool Oracle::holds_fractured() const {
    for (const CachedPage& page : cached().pages) {
        if (page.tags.combined && page.level < page.whole_level) return true;
    }
    return false;
}

/// On machines with capacities the flush is only allowed.
bool Oracle::fracture_present() const {
    const FractureParameters& fracture = setting_.machine.fracture;
    if (!fracture.full_flush || setting_.strictness == Strictness::kAllowed) return false;
    return fracture.model == FractureModel::kExact ? holds_fractured() : cpu().fractured;
}

/// A page-selective invalidation that finds a fractured translation present empties the TLB of the
/// VPID and PCID that it names, or as far as the machine's scope goes.
void Oracle::flush_fractured(std::uint16_t context, std::optional<std::uint16_t> pcid) {
    const FractureParameters& fracture = setting_.machine.fracture;
    drop_pages([&](const CachedPage& page) {
        if (page.global && !fracture.globals) return false;
        if (fracture.scope == FractureScope::kEverything) return true;
        if (page.tags.context != context) return false;
        return fracture.scope == FractureScope::kCurrentContext || !pcid ||
               page.tags.pcid == *pcid || page.global;
    });
    cpu().fractured = holds_fractured();
}

// --- Control registers --------------------------------------------------------------------------

FaultKind Oracle::load(const Registers& next, bool keep) {
    if (keep && !flag(ControlFlag::kPcide)) return FaultKind::kGeneralProtection;
    registers() = next;
    if (!keep) drop_non_global(current_context(), current_pcid());
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const MovCr3& op) {
    Registers next = registers();
    if (op.space) next.name(find_space(context(), *op.space));
    if (op.pcid) next.pcid = op.pcid->value();
    if (op.tables) next.tables = *op.tables;
    return load(next, op.keep_entries);
}

FaultKind Oracle::do_op(const TaskSwitch& op) {
    const std::size_t space = find_space(context(), op.space);
    if (space == registers().space) return FaultKind::kNone;
    Registers next = registers();
    next.name(space);
    return load(next, false);
}

FaultKind Oracle::do_op(const MovCr4& op) {
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, op.write);
    const auto rises = [&](ControlFlag one) { return !before.test(one) && after.test(one); };
    const auto falls = [&](ControlFlag one) { return before.test(one) && !after.test(one); };
    const auto changes = [&](ControlFlag one) { return before.test(one) != after.test(one); };

    if (changes(ControlFlag::kLa57)) return FaultKind::kGeneralProtection;
    if (rises(ControlFlag::kPcide) && (loaded_pcid() != 0 || !before.test(ControlFlag::kPg))) {
        return FaultKind::kGeneralProtection;
    }
    const std::uint16_t pcid = current_pcid();
    registers().flags = after;
    const bool all = changes(ControlFlag::kPge) || falls(ControlFlag::kPcide) ||
                     (amd() && (changes(ControlFlag::kPae) || changes(ControlFlag::kPse) ||
                                rises(ControlFlag::kPke) || rises(ControlFlag::kSmep)));
    if (all) {
        drop_context(current_context());
    } else if (changes(ControlFlag::kPae) || rises(ControlFlag::kSmep)) {
        drop_pcid_and_globals(current_context(), pcid);
    }
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const TogglePge&) {
    drop_context(current_context());
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const MovCr0& op) {
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, op.write);
    const bool paging_before = before.test(ControlFlag::kPg);
    const bool paging_after = after.test(ControlFlag::kPg);
    if (paging_before && !paging_after && before.test(ControlFlag::kPcide)) {
        return FaultKind::kGeneralProtection;
    }
    registers().flags = after;
    if (paging_before != paging_after && (amd() || paging_before)) drop_context(current_context());
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const WrmsrEfer& op) {
    const ControlFlags before = registers().flags;
    if (!amd() && op.write.set.test(ControlFlag::kTce)) return FaultKind::kGeneralProtection;
    registers().flags = written(before, op.write);
    const bool changed = before.test(ControlFlag::kNxe) != flag(ControlFlag::kNxe);
    if (changed && amd()) drop_everything();
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const SystemManagementInterrupt&) {
    if (amd()) drop_everything();
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const ResumeFromSmm&) {
    if (amd()) drop_everything();
    return FaultKind::kNone;
}

// --- Invalidating instructions ------------------------------------------------------------------

FaultKind Oracle::do_op(const Invlpg& op) {
    const std::uint64_t va = op.va.value();
    if (!canonical(va)) return FaultKind::kNone;
    const std::uint16_t now = current_context();
    const std::uint16_t pcid = current_pcid();
    drop_pages([=](const CachedPage& page) {
        return page.tags.context == now && (page.tags.pcid == pcid || page.global) &&
               page.whole_covers(va);
    });
    const bool path_only = amd() && flag(ControlFlag::kTce);
    const bool any_pcid = amd() && !path_only;
    drop_tables([=](const CachedTable& table) {
        return table.tags.context == now && (any_pcid || table.tags.pcid == pcid) &&
               (!path_only || table.leads_to(va));
    });
    if (fracture_present()) flush_fractured(now, pcid);
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Invpcid& op) {
    if (!setting_.machine.features.invpcid) return FaultKind::kInvalidOpcode;
    const std::uint16_t now = current_context();
    const std::uint16_t pcid = op.pcid.value();
    const std::uint64_t va = op.va.value();
    const bool names_pcid =
        op.type == InvpcidType::kAddress || op.type == InvpcidType::kSingleContext;
    if (names_pcid && pcid != 0 && !flag(ControlFlag::kPcide)) return FaultKind::kGeneralProtection;
    switch (op.type) {
        case InvpcidType::kAddress:
            if (!canonical(va)) return FaultKind::kGeneralProtection;
            drop_pages([=](const CachedPage& page) {
                return page.tags.context == now && page.tags.pcid == pcid && !page.global &&
                       page.whole_covers(va);
            });
            drop_tables([=](const CachedTable& table) {
                return table.tags.context == now && table.tags.pcid == pcid && table.leads_to(va);
            });
            if (setting_.machine.fracture.invpcid && fracture_present()) flush_fractured(now, pcid);
            break;
        case InvpcidType::kSingleContext:
            drop_non_global(now, pcid);
            break;
        case InvpcidType::kAllIncludingGlobals:
            drop_context(now);
            break;
        case InvpcidType::kAllContexts:
            drop_pages(
                [=](const CachedPage& page) { return page.tags.context == now && !page.global; });
            drop_tables([=](const CachedTable& table) { return table.tags.context == now; });
            break;
    }
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Tlbsync&) {
    const bool exists = amd() && setting_.machine.features.invlpgb;
    return exists ? FaultKind::kNone : FaultKind::kInvalidOpcode;
}

/// A machine with capacities evicts the pieces that it made of the page, and may keep others.
FaultKind Oracle::do_op(const Evict& op) {
    if (setting_.strictness == Strictness::kAllowed) return FaultKind::kNone;
    const LinearTags tags = mode().tags;
    drop_pages(
        [&](const CachedPage& page) { return page.usable(tags) && page.covers(op.va.value()); });
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const SelectCpu& op) {
    cpu_ = op.cpu;
    return FaultKind::kNone;
}

FaultKind Oracle::apply(const Operation& operation) {
    const FaultKind fault = std::visit([this](const auto& op) { return do_op(op); }, operation);
    if (sets().pages.empty()) cpu().fractured = false;
    return fault;
}

}  // namespace nestwalk::test
