// The hypervisor's policy at work. What exits and what is then flushed is data
// (hypervisor_policy.h); here an exit becomes operations that are reported like any other: the VM
// exit, the flushes, the VM entry. The instruction itself is not executed, the hypervisor emulates
// what it does to registers.

#include "models/hex.h"
#include "models/operation_error.h"
#include "models/system.h"

#include <algorithm>
#include <array>

namespace nestwalk {
namespace {

/// Shadow roots that KVM keeps besides the current one (KVM_MMU_NUM_PREV_ROOTS).
constexpr std::size_t kPreviousRoots = 3;

constexpr std::array kCr4Flags{ControlFlag::kPge,  ControlFlag::kPcide, ControlFlag::kSmep,
                               ControlFlag::kSmap, ControlFlag::kPke,   ControlFlag::kPae,
                               ControlFlag::kPse,  ControlFlag::kLa57};
constexpr std::array kCr0Flags{ControlFlag::kPg, ControlFlag::kWp};

}  // namespace

/// What the hypervisor makes of a guest's operation; nothing if it does not exit.
struct System::Interceptor {
    System& system;

    using Result = std::optional<GuestExit>;

    Result operator()(const MovCr3& record) const {
        if (!exits(GuestAction::kMovCr3)) return std::nullopt;
        GuestExit exit = make(ExitReason::kMovCr3, system.fault_of(record));
        exit.after = system.with_cr3(record);
        exit.flush = row(GuestAction::kMovCr3).flush;
        if (exit.flush == HypervisorFlush::kRoot) {
            exit.flush = system.switch_root(exit.after, record);
        }
        return exit;
    }

    Result operator()(const TaskSwitch& record) const {
        if (!exits(GuestAction::kTaskSwitch)) return std::nullopt;
        GuestExit exit = make(ExitReason::kTaskSwitch, FaultKind::kNone);
        const MovCr3 load{.space = record.space};
        exit.after = system.with_cr3(load);
        exit.flush = row(GuestAction::kTaskSwitch).flush;
        if (row(GuestAction::kMovCr3).flush == HypervisorFlush::kRoot) {
            system.switch_root(exit.after, load);
        }
        return exit;
    }

    Result operator()(const Invlpg& record) const {
        if (!exits(GuestAction::kInvlpg)) return std::nullopt;
        GuestExit exit = make(ExitReason::kInvlpg, FaultKind::kNone);
        exit.va = record.va;
        if (!is_canonical(record.va, system.regime_.linear.levels)) return exit;
        exit.flush = row(GuestAction::kInvlpg).flush;
        if (exit.flush == HypervisorFlush::kShadowInvlpg) {
            exit.flush = system.shadow_invlpg(record.va);
        }
        return exit;
    }

    Result operator()(const Invpcid& record) const {
        const FaultKind fault = system.fault_of(record);
        if (!exits(GuestAction::kInvpcid) || fault == FaultKind::kInvalidOpcode) {
            return std::nullopt;
        }
        GuestExit exit = make(ExitReason::kInvpcid, fault);
        exit.va = record.va;
        exit.flush = flush_of(record, exit.after);
        return exit;
    }

    Result operator()(const MovCr4& record) const {
        return control_write(kCr4Flags, record.write, ExitReason::kMovCr4, system.fault_of(record));
    }
    Result operator()(const MovCr0& record) const {
        return control_write(kCr0Flags, record.write, ExitReason::kMovCr0, system.fault_of(record));
    }
    Result operator()(const WrmsrEfer& record) const {
        if (!exits(GuestAction::kEfer)) return std::nullopt;
        GuestExit exit = make(ExitReason::kWrmsr, system.fault_of(record));
        const ControlFlags before = exit.after.flags;
        exit.after.flags = written(before, record.write);
        if (before.test(ControlFlag::kNxe) != exit.after.flags.test(ControlFlag::kNxe)) {
            exit.flush = row(GuestAction::kEfer).flush;
            exit.after.previous_roots.clear();
        }
        return exit;
    }

    Result operator()(const Invvpid&) const { return vm_instruction(Vendor::kIntel); }
    Result operator()(const Invept&) const { return vm_instruction(Vendor::kIntel); }
    Result operator()(const Invlpga&) const { return vm_instruction(Vendor::kAmd); }

    template <typename Other>
    Result operator()(const Other&) const {
        return std::nullopt;
    }

private:
    const Interception& row(GuestAction action) const { return system.hypervisor_->row(action); }
    bool exits(GuestAction action) const { return row(action).exits != ExitRule::kNever; }

    GuestExit make(ExitReason reason, FaultKind injected) const {
        return {.reason = reason, .injected = injected, .after = system.registers()};
    }

    /// The guest has no virtualization of its own: #UD.
    Result vm_instruction(Vendor vendor) const {
        if (system.machine_.vendor != vendor) return std::nullopt;
        return make(ExitReason::kVmInstruction, FaultKind::kInvalidOpcode);
    }

    /// The largest flush that a bit which changes asks for.
    Result control_write(std::span<const ControlFlag> flags, ControlWrite write, ExitReason reason,
                         FaultKind fault) const {
        GuestExit exit = make(reason, fault);
        const ControlFlags before = exit.after.flags;
        exit.after.flags = written(before, write);
        bool exits = false;
        for (const ControlFlag flag : flags) {
            const Interception& rule = row(*action_of(flag));
            const bool named = write.set.test(flag) || write.clear.test(flag);
            const bool changes = before.test(flag) != exit.after.flags.test(flag);
            exits = exits || (rule.exits == ExitRule::kAlways && named) ||
                    (rule.exits == ExitRule::kOnChange && changes);
            if (!changes) continue;
            if (rule.when == FlushRule::kWhenClear && exit.after.flags.test(flag)) continue;
            exit.flush = std::max(exit.flush, rule.flush);
        }
        // Another role of its MMU: KVM forgets the roots that it kept.
        if (exit.flush != HypervisorFlush::kNothing && !pge_alone(before, exit.after.flags)) {
            exit.after.previous_roots.clear();
        }
        return exits ? Result(exit) : std::nullopt;
    }

    static bool pge_alone(ControlFlags before, ControlFlags after) {
        before.clear(ControlFlag::kPge);
        after.clear(ControlFlag::kPge);
        return before == after;
    }

    /// A PCID that is neither current nor that of a root kept has nothing cached: its root is
    /// flushed when it is loaded again.
    HypervisorFlush flush_of(const Invpcid& record, Registers& after) const {
        const auto has_pcid = [&](const LoadedRoot& root) { return root.pcid == record.pcid; };
        const bool current = system.regime_.pcid == record.pcid;
        std::vector<LoadedRoot>& roots = after.previous_roots;
        switch (record.type) {
            case InvpcidType::kAddress:
                return current || std::any_of(roots.begin(), roots.end(), has_pcid)
                           ? HypervisorFlush::kAddress
                           : HypervisorFlush::kNothing;
            case InvpcidType::kSingleContext:
                roots.erase(std::remove_if(roots.begin(), roots.end(), has_pcid), roots.end());
                return current ? HypervisorFlush::kContext : HypervisorFlush::kNothing;
            case InvpcidType::kAllIncludingGlobals:
            case InvpcidType::kAllContexts:
                break;
        }
        return HypervisorFlush::kContext;
    }
};

void System::issue(const Operation& operation, OutcomeObserver& observer) {
    if (hypervisor_ == nullptr || !in_guest()) return perform(operation, observer);
    const bool toggles = std::holds_alternative<TogglePge>(operation);
    if (toggles && hypervisor_->row(GuestAction::kCr4Pge).exits != ExitRule::kNever) {
        ControlFlags pge;
        pge.set(ControlFlag::kPge);
        const bool is_set = registers().flags.test(ControlFlag::kPge);
        issue(MovCr4{is_set ? ControlWrite{.clear = pge} : ControlWrite{.set = pge}}, observer);
        return issue(MovCr4{is_set ? ControlWrite{.set = pge} : ControlWrite{.clear = pge}},
                     observer);
    }
    const std::optional<GuestExit> exit = std::visit(Interceptor{*this}, operation);
    if (!exit) return perform(operation, observer);
    exit_and_enter(*exit, observer);
    if (exit->injected == FaultKind::kNone) return;
    outcome_.clear();
    refuse(exit->injected, exit->va);
    observer.on_operation(operation, outcome_);
}

void System::exit_and_enter(const GuestExit& exit, OutcomeObserver& observer) {
    const std::size_t guest = vcpu().running;
    const bool emulated = exit.injected == FaultKind::kNone;
    perform(VmExit{name_of(exit.reason)}, observer);
    if (emulated) vcpu().registers[guest] = exit.after;
    const TlbControl control =
        emulated ? flush_guest(exit.flush, exit.va, observer) : TlbControl::kNothing;
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

/// A guest's page that the shadow tables map in smaller pieces must go as a whole, and no address
/// form of a flush takes more than one of them.
HypervisorFlush System::shadow_invlpg(VirtAddr va) {
    switch (parameters_.hypervisor.shadow_invlpg) {
        case ShadowInvlpg::kNone:
            return HypervisorFlush::kNothing;
        case ShadowInvlpg::kSingleContext:
            return HypervisorFlush::kContext;
        case ShadowInvlpg::kIndividual:
            break;
    }
    Software& host = state_.software[0];
    const PageTable shadow(regime_.linear, host.memory, host.frames, InitialBits::kClear);
    const PageTable guest = tables_of(registers().space);
    const bool in_pieces =
        guest.maps(va.value()) && shadow.find(va.value()).level < guest.find(va.value()).level;
    return in_pieces ? HypervisorFlush::kContext : HypervisorFlush::kAddress;
}

/// Loads the shadow root of a space. A root that KVM keeps needs no flush if the guest asks for
/// none (fast_pgd_switch); a flush takes the kept roots of that PCID with it (kvm_invalidate_pcid).
HypervisorFlush System::switch_root(Registers& after, const MovCr3& record) {
    const LoadedRoot before = root_in(registers());
    const LoadedRoot now = root_in(after);
    std::vector<LoadedRoot>& roots = after.previous_roots;
    const auto kept = std::find(roots.begin(), roots.end(), now);
    const bool cached = now == before || kept != roots.end();
    if (kept != roots.end()) roots.erase(kept);
    if (now != before) roots.insert(roots.begin(), before);
    if (roots.size() > kPreviousRoots) roots.pop_back();
    if (record.keep_entries) {
        return cached ? HypervisorFlush::kNothing : HypervisorFlush::kContext;
    }
    if (after.flags.test(ControlFlag::kPcide)) {
        const auto has_pcid = [&](const LoadedRoot& root) { return root.pcid == now.pcid; };
        roots.erase(std::remove_if(roots.begin(), roots.end(), has_pcid), roots.end());
    }
    return HypervisorFlush::kContext;
}

LoadedRoot System::root_in(const Registers& registers) {
    const Pcid own = running().spaces[registers.space].pcid;
    return {registers.space, registers.tables, registers.pcid.value_or(own)};
}

/// Xen offers PCID and INVPCID only with hardware-assisted paging.
bool System::guest_has_pcids() {
    return !in_guest() || parameters_.hypervisor.kind != Hypervisor::kXenShadow;
}

// --- Faults -------------------------------------------------------------------------------------

System::Translated System::end_in_fault(const Access& access, VirtAddr va,
                                        std::optional<Fault>& answered, OutcomeObserver& observer) {
    const Fault fault = outcome_.fault;
    const bool hosted = hypervisor_ != nullptr && in_guest();
    if (!hosted || !fault.exits()) {
        if (fault.exits()) answer_exit();
        observer.on_translation(access, va, outcome_);
        const bool reflected = hosted && fault.kind == FaultKind::kPageFault &&
                               hypervisor_->row(GuestAction::kPageFault).exits != ExitRule::kNever;
        if (reflected) {
            exit_and_enter({.reason = ExitReason::kPageFault, .after = registers()}, observer);
        }
        return Translated::kGivenUp;
    }
    if (answered == fault) {
        throw OperationError(std::string(name_of(access.kind)) + " " + to_hex(va.value()) + ": " +
                             name_of(fault.kind) + " at guest-physical " +
                             to_hex(fault.gpa.value()) +
                             " again, after the hypervisor gave the page all rights; whatever "
                             "refuses the access is not in the host table's leaf");
    }
    outcome_.answered = true;
    outcome_.exits = 0;
    observer.on_translation(access, va, outcome_);
    restore_host_page(fault.gpa);
    exit_and_enter({.reason = exit_reason_of(fault.kind), .after = registers()}, observer);
    answered = fault;
    return Translated::kAnswered;
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
