#include "models/invalidation.h"

namespace nestwalk {
namespace {

/// Linear and combined mappings of the current VPID or ASID.
Selection current(const Regime& regime) {
    return {.linear = true, .combined = true, .context = regime.context};
}

Selection translations(Selection selection, GlobalRule globals) {
    selection.translations = true;
    selection.globals = globals;
    return selection;
}

Selection structures(Selection selection) {
    selection.paging_structures = true;
    return selection;
}

Selection with_pcid(Selection selection, Pcid pcid) {
    selection.pcid = pcid;
    return selection;
}

Selection at(Selection selection, VirtAddr va) {
    selection.address = va.value();
    return selection;
}

/// Translations and paging-structure entries, globals by `rule`.
Selection both(Selection selection, GlobalRule rule) {
    return structures(translations(selection, rule));
}

GlobalRule rule(ForeignGlobals choice) {
    return choice == ForeignGlobals::kDrop ? GlobalRule::kDropAnyPcid : GlobalRule::kDropOwnPcid;
}

/// The paging-structure entries of `pcid` that an invalidation of `va` reaches.
Selection structures_reached(const Regime& regime, StructureReach reach, Pcid pcid, VirtAddr va) {
    switch (reach) {
        case StructureReach::kPath:
            return structures(at(with_pcid(current(regime), pcid), va));
        case StructureReach::kPcid:
            return structures(with_pcid(current(regime), pcid));
        case StructureReach::kAsid:
            break;
    }
    return structures(current(regime));
}

FlushPlan all_of_context(const Regime& regime) {
    return {FlushScope::kAll, {both(current(regime), GlobalRule::kDropAnyPcid)}};
}

bool changes(ControlFlag flag, ControlFlags before, ControlFlags after) {
    return before.test(flag) != after.test(flag);
}

bool rises(ControlFlag flag, ControlFlags before, ControlFlags after) {
    return !before.test(flag) && after.test(flag);
}

bool falls(ControlFlag flag, ControlFlags before, ControlFlags after) {
    return rises(flag, after, before);
}

FlushPlan intel_cr4_drops(const Regime& regime, ControlFlags before, ControlFlags after) {
    if (changes(ControlFlag::kPge, before, after) || falls(ControlFlag::kPcide, before, after)) {
        return all_of_context(regime);
    }
    if (changes(ControlFlag::kPae, before, after) || rises(ControlFlag::kSmep, before, after)) {
        // "All TLB entries for the current PCID": do globals made under another PCID count among
        // them?
        const Selection own = with_pcid(current(regime), regime.pcid);
        return {FlushScope::kContext, {both(own, rule(regime.choices.smep_and_pae))}};
    }
    return {};
}

FlushPlan amd_cr4_drops(const Regime& regime, ControlFlags before, ControlFlags after) {
    const bool flushes =
        changes(ControlFlag::kPge, before, after) || changes(ControlFlag::kPae, before, after) ||
        changes(ControlFlag::kPse, before, after) || rises(ControlFlag::kPke, before, after) ||
        falls(ControlFlag::kPcide, before, after) ||
        (regime.choices.amd_smep_flushes && rises(ControlFlag::kSmep, before, after));
    return flushes ? all_of_context(regime) : FlushPlan{};
}

}  // namespace

// --- Ordinary operations ------------------------------------------------------------------------

FlushPlan invlpg_drops(const Regime& regime, VirtAddr va) {
    const Selection own = with_pcid(current(regime), regime.pcid);
    const bool amd = regime.vendor == Vendor::kAmd;
    const StructureReach reach = !amd                                   ? StructureReach::kPcid
                                 : regime.flags.test(ControlFlag::kTce) ? StructureReach::kPath
                                                                        : regime.choices.amd_invlpg;
    return {FlushScope::kPage,
            {at(translations(own, GlobalRule::kDropAnyPcid), va),
             structures_reached(regime, reach, regime.pcid, va)}};
}

FlushPlan mov_cr3_drops(const Regime& regime, Pcid loaded) {
    return {FlushScope::kContext, {both(with_pcid(current(regime), loaded), GlobalRule::kKeep)}};
}

FlushPlan cr4_drops(const Regime& regime, ControlFlags before, ControlFlags after) {
    return regime.vendor == Vendor::kAmd ? amd_cr4_drops(regime, before, after)
                                         : intel_cr4_drops(regime, before, after);
}

FlushPlan cr0_drops(const Regime& regime, ControlFlags before, ControlFlags after) {
    const bool flushes = regime.vendor == Vendor::kAmd ? changes(ControlFlag::kPg, before, after)
                                                       : falls(ControlFlag::kPg, before, after);
    return flushes ? all_of_context(regime) : FlushPlan{};
}

FlushPlan invpcid_drops(const Regime& regime, const Invpcid& operation) {
    const Selection own = with_pcid(current(regime), operation.pcid);
    switch (operation.type) {
        case InvpcidType::kAddress:
            return {FlushScope::kPage,
                    {at(translations(own, GlobalRule::kKeep), operation.va),
                     structures_reached(regime, regime.choices.invpcid_address, operation.pcid,
                                        operation.va)}};
        case InvpcidType::kSingleContext:
            return {FlushScope::kContext, {both(own, GlobalRule::kKeep)}};
        case InvpcidType::kAllIncludingGlobals:
            return all_of_context(regime);
        case InvpcidType::kAllContexts:
            return {FlushScope::kContext, {both(current(regime), GlobalRule::kKeep)}};
    }
    return {};
}

Selection evicted_entries(const Regime& regime, VirtAddr va) {
    Selection selection = at(with_pcid(current(regime), regime.pcid), va);
    selection.linear = !regime.nested;
    selection.combined = regime.nested;
    if (regime.nested && regime.vendor == Vendor::kIntel) selection.ep4ta = regime.ep4ta;
    selection.address_rule = AddressRule::kPiece;
    return translations(selection, GlobalRule::kDropAnyPcid);
}

// --- Faults -------------------------------------------------------------------------------------

Selection paging_structures_of(const Regime& regime, VirtAddr va) {
    return structures(at(with_pcid(current(regime), regime.pcid), va));
}

std::vector<Selection> page_fault_drops(const Regime& regime, VirtAddr va) {
    // Globals made under another PCID: the manual names the current PCID alone, and promises that
    // no page fault recurs because of a cached entry.
    const Selection own = at(with_pcid(current(regime), regime.pcid), va);
    return {both(own, rule(regime.choices.page_fault))};
}

std::vector<Selection> fault_drops(const Regime& regime, const Fault& fault) {
    switch (fault.kind) {
        case FaultKind::kPageFault:
            return page_fault_drops(regime, fault.va);
        case FaultKind::kEptViolation:
            break;
        case FaultKind::kNestedPageFault:
            if (!regime.choices.nested_page_fault_drops) return {};
            break;
        default:
            return {};  // nothing was cached from a misconfigured entry
    }
    const bool amd = regime.vendor == Vendor::kAmd;
    Selection linear = at(with_pcid(current(regime), regime.pcid), fault.va);
    linear.linear = amd;
    if (!amd) linear.ep4ta = regime.ep4ta;
    Selection nested{.guest_physical = true, .address = fault.gpa.value()};
    if (amd) {
        nested.context = regime.context;
    } else {
        nested.ep4ta = regime.ep4ta;
    }
    return {both(linear, GlobalRule::kDropAnyPcid), both(nested, GlobalRule::kDropAnyPcid)};
}

Selection fracture_drop(const Regime& regime, const FractureParameters& fracture) {
    Selection selection{.linear = true, .combined = true};
    if (fracture.scope != FractureScope::kEverything) selection.context = regime.context;
    if (fracture.scope == FractureScope::kCurrentPcid) selection.pcid = regime.pcid;
    return translations(selection, fracture.globals ? GlobalRule::kDropAnyPcid : GlobalRule::kKeep);
}

Selection all_translations() {
    return translations({.linear = true, .combined = true}, GlobalRule::kDropAnyPcid);
}

// --- Virtualization -----------------------------------------------------------------------------

FlushPlan vm_transition_drops() {
    const Selection host{.linear = true, .combined = true, .context = std::uint16_t{0}};
    return {FlushScope::kAll, {both(host, GlobalRule::kDropAnyPcid)}};
}

FlushPlan invvpid_drops(InvvpidType type, Vpid vpid, VirtAddr va) {
    const Selection every{.linear = true, .combined = true};
    Selection own = every;
    own.context = vpid.value();
    switch (type) {
        case InvvpidType::kAddress:
            return {FlushScope::kPage, {both(at(own, va), GlobalRule::kDropAnyPcid)}};
        case InvvpidType::kSingleContext:
            return {FlushScope::kContext, {both(own, GlobalRule::kDropAnyPcid)}};
        case InvvpidType::kAllContexts: {
            Selection guests = every;
            guests.spare_context_zero = true;
            return {FlushScope::kAll, {both(guests, GlobalRule::kDropAnyPcid)}};
        }
        case InvvpidType::kSingleContextRetainingGlobals:
            return {FlushScope::kContext, {both(own, GlobalRule::kKeep)}};
    }
    return {};
}

FlushPlan invept_drops(InveptType type, Ep4ta ep4ta) {
    Selection selection{.combined = true, .guest_physical = true};
    if (type == InveptType::kSingleContext) selection.ep4ta = ep4ta;
    const FlushScope scope =
        type == InveptType::kSingleContext ? FlushScope::kContext : FlushScope::kAll;
    return {scope, {both(selection, GlobalRule::kDropAnyPcid)}};
}

FlushPlan tlb_control_drops(TlbControl control, Asid asid, const InvalidationChoices& choices) {
    Selection own{.linear = true, .combined = true, .context = asid.value()};
    switch (control) {
        case TlbControl::kNothing:
            return {};
        case TlbControl::kAll:
            return everything();
        case TlbControl::kThisAsid:
            own.guest_physical = true;
            return {FlushScope::kContext, {both(own, GlobalRule::kDropAnyPcid)}};
        case TlbControl::kThisAsidNonGlobal:
            own.guest_physical = choices.tlb_control_7_nested;
            return {FlushScope::kContext, {both(own, GlobalRule::kKeep)}};
    }
    return {};
}

FlushPlan invlpga_drops(VirtAddr va, Asid asid) {
    const Selection own{.linear = true, .combined = true, .context = asid.value()};
    return {FlushScope::kPage,
            {at(translations(own, GlobalRule::kDropAnyPcid), va), structures(at(own, va))}};
}

FlushPlan invlpgb_drops(const Invlpgb& operation) {
    Selection selected{.linear = true, .combined = true};
    if (operation.asid) selected.context = operation.asid->value();
    if (operation.pcid) selected.pcid = operation.pcid;
    const GlobalRule globals = operation.globals ? GlobalRule::kDropAnyPcid : GlobalRule::kKeep;
    FlushPlan plan{operation.va ? FlushScope::kPage : FlushScope::kContext, {}};
    if (operation.va) {
        selected = at(selected, *operation.va);
        selected.pages = operation.pages;
        selected.stride = page_bytes(operation.stride);
    }
    plan.selections.push_back(translations(selected, globals));
    if (!operation.final_only) plan.selections.push_back(structures(selected));
    if (operation.nested) {
        Selection nested{.guest_physical = true};
        nested.context = selected.context;
        plan.selections.push_back(both(nested, GlobalRule::kDropAnyPcid));
    }
    return plan;
}

FlushPlan everything() {
    const Selection all{.linear = true, .combined = true, .guest_physical = true};
    return {FlushScope::kAll, {both(all, GlobalRule::kDropAnyPcid)}};
}

}  // namespace nestwalk
