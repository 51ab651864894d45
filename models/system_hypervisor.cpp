// A VM exit that a hypervisor takes becomes operations that are reported like any other: the exit,
// the flushes, the entry. The instruction itself is not executed.

#include "models/hex.h"
#include "models/operation_error.h"
#include "models/system.h"

#include <algorithm>

namespace nestwalk {

void System::exit_and_enter(const GuestExit& exit, OutcomeObserver& observer) {
    const std::size_t guest = vcpu().running;
    const bool emulated = exit.injected == FaultKind::kNone;
    const Regime composed = keeps_shadows() ? guest_regime() : Regime{};
    perform(VmExit{name_of(exit.reason)}, observer);
    if (emulated) {
        vcpu().registers[guest] = exit.after;
        if (keeps_shadows()) synchronise(exit, guest, composed);
    }
    const TlbControl control =
        emulated ? flush_guest(exit.flush, exit.va, observer) : TlbControl::kNothing;
    if (emulated && exit.drops_shadows) drop_guests_on_others();
    perform(VmEntry{.tlb_control = control}, observer);
    if (!in_guest()) {
        throw OperationError("the hypervisor cannot enter the guest again: its " +
                             std::string(amd() ? "ASID" : "VPID") + " is 0");
    }
}

// --- Flushes ------------------------------------------------------------------------------------

/// Between exit and entry. What AMD's VM entry is to flush by itself is the answer.
TlbControl System::flush_guest(HypervisorFlush flush, VirtAddr va, OutcomeObserver& observer) {
    if (flush == HypervisorFlush::kHostTable) {
        perform(Invept{InveptType::kSingleContext, std::nullopt}, observer);
        return TlbControl::kNothing;
    }
    // Without VPIDs exit and entry have emptied, and will empty, all there is to flush.
    if (!amd() && !parameters_.vpid) return TlbControl::kNothing;
    const std::uint16_t tag = tag_of(virtual_machine());
    switch (flush) {
        case HypervisorFlush::kAddress:
            if (amd()) {
                perform(Invlpga{va, Asid(tag)}, observer);
            } else {
                perform(Invvpid{InvvpidType::kAddress, Vpid(tag), va}, observer);
            }
            return TlbControl::kNothing;
        case HypervisorFlush::kContext:
            if (amd()) {
                return machine_.features.flush_by_asid ? TlbControl::kThisAsid
                                                       : take_new_tag(observer);
            }
            perform(Invvpid{InvvpidType::kSingleContext, Vpid(tag), {}}, observer);
            return TlbControl::kNothing;
        case HypervisorFlush::kAllContexts:
            if (amd()) return flush_guest(HypervisorFlush::kContext, va, observer);
            perform(Invvpid{InvvpidType::kAllContexts, std::nullopt, {}}, observer);
            return TlbControl::kNothing;
        case HypervisorFlush::kNewTag:
            return take_new_tag(observer);
        default:
            return TlbControl::kNothing;
    }
}

/// Another VPID or ASID makes all that was cached unreachable. When they run out, all is flushed
/// and they are handed out anew, to every virtual machine.
TlbControl System::take_new_tag(OutcomeObserver& observer) {
    Vcpu& cpu = vcpu();
    if (cpu.last_tag == 0) {
        for (std::size_t vm = 1; vm < state_.software.size(); ++vm) {
            cpu.last_tag = std::max<std::uint32_t>(cpu.last_tag, tag_of(vm));
        }
    }
    if (cpu.last_tag < parameters_.hypervisor.tags) {
        cpu.registers[cpu.last_vm].tag = static_cast<std::uint16_t>(++cpu.last_tag);
        return TlbControl::kNothing;
    }
    for (std::size_t vm = 1; vm < state_.software.size(); ++vm) {
        cpu.registers[vm].tag = static_cast<std::uint16_t>(vm);
    }
    cpu.last_tag = static_cast<std::uint32_t>(state_.software.size() - 1);
    if (amd()) return TlbControl::kAll;
    perform(Invvpid{InvvpidType::kAllContexts, std::nullopt, {}}, observer);
    return TlbControl::kNothing;
}

// --- Faults -------------------------------------------------------------------------------------

System::Translated System::end_in_fault(const Access& access, VirtAddr va,
                                        std::optional<Fault>& answered, OutcomeObserver& observer) {
    const Fault fault = outcome_.fault;
    const bool hosted = hypervisor_ != nullptr && in_guest();
    if (hosted && keeps_shadows() && fault.kind == FaultKind::kPageFault) {
        return answer_page_fault(access, va, answered, observer);
    }
    if (!hosted || !fault.exits()) {
        if (fault.exits()) answer_exit();
        observer.on_translation(access, va, outcome_);
        return Translated::kGivenUp;
    }
    if (answered == fault) refuse_to_repeat(access.kind, fault);
    outcome_.answered = true;
    outcome_.exits = 0;
    observer.on_translation(access, va, outcome_);
    restore_host_page(fault.gpa);
    exit_and_enter({.reason = exit_reason_of(fault.kind), .after = registers()}, observer);
    answered = fault;
    return Translated::kAnswered;
}

void System::refuse_to_repeat(AccessKind kind, const Fault& fault) {
    throw OperationError(std::string(name_of(kind)) + " " + to_hex(fault.va.value()) + ": " +
                         name_of(fault.kind) + " at guest-physical " + to_hex(fault.gpa.value()) +
                         " again, after the hypervisor gave the page all rights; whatever refuses "
                         "the access is not in the host table's leaf");
}

/// A page that is not there is given a frame; one with fewer rights, as a page that is watched for
/// writes, gets them back. Neither needs a flush (SDM "Guidelines for Use of the INVEPT
/// Instruction").
void System::restore_host_page(GuestPhysAddr gpa) {
    PageTable tables = host_tables();
    if (tables.maps(gpa.value())) {
        tables.protect(gpa.value(), {});
    } else {
        first_touch_.map_host_page(hosted(), gpa);
    }
    tables_changed();
}

}  // namespace nestwalk
