// Which of a guest's operations exit, and what the hypervisor makes of each: what it emulates of
// the registers, what it flushes, which shadow tables follow. What exits and what is flushed is
// data (hypervisor_policy.h).

#include "models/shadow_tables.h"
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
        if (exit.flush != HypervisorFlush::kNothing) exit.sync = ShadowSync::kRoot;
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
        exit.sync = ShadowSync::kRoot;
        return exit;
    }

    Result operator()(const Invlpg& record) const {
        if (!exits(GuestAction::kInvlpg)) return std::nullopt;
        GuestExit exit = make(ExitReason::kInvlpg, FaultKind::kNone);
        exit.va = record.va;
        if (!is_canonical(record.va, system.regime_.linear.levels)) return exit;
        exit.flush = row(GuestAction::kInvlpg).flush;
        exit.sync = ShadowSync::kAddress;
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
        set_flush(record, exit);
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
            exit.sync = ShadowSync::kRoot;
            exit.after.previous_roots.clear();
            drop_shadows_of(exit);
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
            exit.sync = ShadowSync::kAllRoots;
        }
        // Another role of its MMU: KVM forgets the roots that it kept.
        if (exit.flush != HypervisorFlush::kNothing && !pge_alone(before, exit.after.flags)) {
            exit.after.previous_roots.clear();
        }
        if (another_role(before, exit.after.flags)) drop_shadows_of(exit);
        return exits ? Result(exit) : std::nullopt;
    }

    /// While CR0.WP is 0 shadow leaves depend on it, and on CR4.SMEP and SMAP. KVM makes others for
    /// each role of its MMU; here they are made anew.
    static bool another_role(ControlFlags before, ControlFlags after) {
        const auto changes = [&](ControlFlag flag) {
            return before.test(flag) != after.test(flag);
        };
        const bool protects = before.test(ControlFlag::kWp) && after.test(ControlFlag::kWp);
        return !protects && (changes(ControlFlag::kWp) || changes(ControlFlag::kSmep) ||
                             changes(ControlFlag::kSmap));
    }

    void drop_shadows_of(GuestExit& exit) const {
        if (!system.keeps_shadows()) return;
        exit.drops_shadows = true;
        // All that the guest has cached, as after a task switch.
        exit.flush = std::max(exit.flush, row(GuestAction::kTaskSwitch).flush);
    }

    static bool pge_alone(ControlFlags before, ControlFlags after) {
        before.clear(ControlFlag::kPge);
        after.clear(ControlFlag::kPge);
        return before == after;
    }

    /// A PCID that is neither current nor that of a root kept has nothing cached: its root is
    /// flushed when it is loaded again.
    void set_flush(const Invpcid& record, GuestExit& exit) const {
        const auto has_pcid = [&](const LoadedRoot& root) { return root.pcid == record.pcid; };
        const bool current = system.regime_.pcid == record.pcid;
        std::vector<LoadedRoot>& roots = exit.after.previous_roots;
        const bool kept = std::any_of(roots.begin(), roots.end(), has_pcid);
        switch (record.type) {
            case InvpcidType::kAddress:
                if (!current && !kept) return;
                exit.flush = HypervisorFlush::kAddress;
                exit.sync = ShadowSync::kAddress;
                exit.pcid = record.pcid;
                return;
            case InvpcidType::kSingleContext:
                roots.erase(std::remove_if(roots.begin(), roots.end(), has_pcid), roots.end());
                if (!current) return;
                exit.flush = HypervisorFlush::kContext;
                exit.sync = ShadowSync::kRoot;
                return;
            case InvpcidType::kAllIncludingGlobals:
            case InvpcidType::kAllContexts:
                break;
        }
        exit.flush = HypervisorFlush::kContext;
        exit.sync = ShadowSync::kAllRoots;
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

// --- Flushes that depend on the state ----------------------------------------------------------

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
    const Regime composed = guest_regime();
    const ShadowTables shadows(running(), state_.software[0], composed);
    const bool in_pieces = shadows.in_pieces(loaded_tables(registers()), va);
    return in_pieces ? HypervisorFlush::kContext : HypervisorFlush::kAddress;
}

/// Loads the shadow root of a space. A root that KVM keeps needs no flush if the guest asks for
/// none (fast_pgd_switch); a flush takes the kept roots of that PCID with it (kvm_invalidate_pcid).
HypervisorFlush System::switch_root(Registers& after, const MovCr3& record) {
    const LoadedRoot before = root_in(vcpu().running, registers());
    const LoadedRoot now = root_in(vcpu().running, after);
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

LoadedRoot System::root_in(std::size_t software, const Registers& registers) const {
    const Pcid own = state_.software[software].spaces[registers.space].pcid;
    return {registers.space, registers.tables, registers.pcid.value_or(own)};
}

/// Xen offers PCID and INVPCID only with hardware-assisted paging.
bool System::guest_has_pcids() {
    return !in_guest() || parameters_.hypervisor.kind != Hypervisor::kXenShadow;
}

}  // namespace nestwalk
