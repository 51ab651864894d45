// Shadow tables under a hypervisor's policy: made when a page fault shows that they are missing,
// dropped when the guest writes what they were made from, brought up to date where it flushes.

#include "models/operation_error.h"
#include "models/shadow_tables.h"
#include "models/system.h"

namespace nestwalk {

bool System::keeps_shadows() const {
    return hypervisor_ != nullptr &&
           hypervisor_->row(GuestAction::kPageFault).exits != ExitRule::kNever;
}

// --- Page faults --------------------------------------------------------------------------------

/// A page fault that the guest's tables ask for is the guest's. Any other shows that a shadow leaf
/// is missing or has fewer rights than the guest gives: it is made, and the access is made again.
System::Translated System::answer_page_fault(const Access& access, VirtAddr va,
                                             std::optional<Fault>& answered,
                                             OutcomeObserver& observer) {
    const Fault fault = outcome_.fault;
    const std::optional<Fault> refused = fill_shadow({.va = va,
                                                      .kind = access.kind,
                                                      .privilege = access.privilege,
                                                      .purpose = WalkPurpose::kAccess});
    if (!refused && answered == fault) refuse_to_repeat(access.kind, fault);
    if (refused) {
        outcome_.fault = *refused;
    } else {
        outcome_.answered = true;
    }
    observer.on_translation(access, va, outcome_);
    exit_and_enter({.reason = ExitReason::kPageFault, .after = registers()}, observer);
    if (refused) return Translated::kGivenUp;
    answered = fault;
    return Translated::kAnswered;
}

Regime System::guest_regime() {
    Regime composed = first_touch_.composed();
    composed.flags = registers().flags;
    return composed;
}

/// Host pages that are missing are supplied on the way. The fault of the guest, if there is one.
std::optional<Fault> System::fill_shadow(const WalkRequest& access) {
    const Regime composed = guest_regime();
    ShadowTables shadows(running(), state_.software[0], composed);
    std::optional<Fault> before;
    for (;;) {
        const std::optional<Fault> fault = shadows.fill(loaded_tables(registers()), access);
        tables_changed();
        if (!fault || !fault->exits()) return fault;
        if (before == fault) refuse_to_repeat(access.kind, *fault);
        restore_host_page(fault->gpa);
        before = fault;
    }
}

// --- Writes of page tables ----------------------------------------------------------------------

/// What the guest has written of tables that shadow tables were made from.
void System::trap_table_writes(OutcomeObserver& observer) {
    std::vector<std::uint64_t> writes;
    writes.swap(guest_writes_);
    const Regime composed = guest_regime();
    for (const std::uint64_t location : writes) {
        const ShadowTables::Write write =
            ShadowTables(running(), state_.software[0], composed).written(location);
        if (!write.exits) continue;
        GuestExit exit{.reason = ExitReason::kTableWrite, .after = registers()};
        if (write.dropped) exit.flush = hypervisor_->row(GuestAction::kTableWrite).flush;
        exit_and_enter(exit, observer);
        if (write.dropped) drop_guests_on_others();
    }
    outcome_.clear();
}

std::vector<Selection> System::guest_contexts(std::size_t cpu) const {
    if (!amd() && !parameters_.vpid) return vm_transition_drops().selections;
    if (!amd()) {
        return invvpid_drops(InvvpidType::kAllContexts, Vpid(0), VirtAddr(0)).selections;
    }
    std::vector<Selection> contexts;
    for (std::size_t vm = 1; vm < state_.software.size(); ++vm) {
        const FlushPlan plan =
            tlb_control_drops(TlbControl::kThisAsid, Asid(tag_of(vm, cpu)), machine_.invalidation);
        contexts.insert(contexts.end(), plan.selections.begin(), plan.selections.end());
    }
    return contexts;
}

/// The hypervisor interrupts the other vCPUs before it uses a dropped table's frame for another.
/// The time that this takes them is not counted.
void System::drop_guests_on_others() {
    for (std::size_t cpu = 0; cpu < state_.vcpus.size(); ++cpu) {
        if (cpu == state_.current_cpu) continue;
        for (const Selection& selection : guest_contexts(cpu)) {
            state_.vcpus[cpu].mmu.drop(selection, outcome_);
        }
    }
}

/// Tables of the host have changed: KVM hears of it (its MMU notifier), drops what was made from
/// them and flushes.
void System::drop_shadows() {
    if (!keeps_shadows()) return;
    for (std::size_t vm = 1; vm < state_.software.size(); ++vm) {
        ShadowTables(state_.software[vm], state_.software[0], regime_).drop_all();
    }
    for (const Selection& selection : guest_contexts(state_.current_cpu)) {
        vcpu().mmu.drop(selection, outcome_);
    }
    outcome_.performed.add(FlushScope::kContext);
    drop_guests_on_others();
}

// --- Synchronisation ----------------------------------------------------------------------------

SpaceTables System::loaded_tables(const Registers& registers) {
    return {registers.space, registers.tables};
}

/// The guest has flushed: what was allowed to go out of sync follows.
void System::synchronise(const GuestExit& exit, std::size_t vm, Regime composed) {
    composed.flags = exit.after.flags;
    ShadowTables shadows(state_.software[vm], state_.software[0], composed);
    if (exit.drops_shadows) return shadows.drop_all();
    std::vector<LoadedRoot> roots = exit.after.previous_roots;
    roots.insert(roots.begin(), root_in(vm, exit.after));
    switch (exit.sync) {
        case ShadowSync::kNothing:
            return;
        case ShadowSync::kRoot:
            return shadows.sync(loaded_tables(exit.after));
        case ShadowSync::kAllRoots:
            for (const LoadedRoot& root : roots) shadows.sync({root.space, root.tables});
            return;
        case ShadowSync::kAddress:
            for (const LoadedRoot& root : roots) {
                if (exit.pcid && root.pcid != *exit.pcid) continue;
                shadows.sync({root.space, root.tables}, exit.va);
            }
            return;
    }
}

}  // namespace nestwalk
