// Records that write control registers, and the invalidations that any supervisor may execute.

#include "models/operation_error.h"
#include "models/system.h"

#include <utility>

namespace nestwalk {
namespace {

/// Of all contexts together; each of them may have as many as there are PCIDs.
constexpr std::size_t kMostSpaces = std::size_t{1} << 17;

}  // namespace

/// CR3[11:0].
Pcid System::loaded_pcid() { return registers().pcid.value_or(current_space().pcid); }

/// Page fracturing: a page-selective invalidation that meets a fractured translation empties the
/// TLB of the VPID and PCID that `named` has, as far as the machine's scope says.
void System::flush_fractured(const Regime& named) {
    Mmu& mmu = vcpu().mmu;
    if (!mmu.fracture().full_flush || !mmu.fracture_present()) return;
    mmu.flush_fractured(named, outcome_);
    outcome_.performed.add(FlushScope::kAll);
}

void System::flush_smashed() {
    const std::uint32_t before = outcome_.smash_flushes;
    vcpu().mmu.flush_smashed(outcome_);
    if (outcome_.smash_flushes != before) outcome_.performed.add(FlushScope::kAll);
}

void System::invlpg(const Invlpg& record) {
    if (!is_canonical(record.va, regime_.linear.levels)) return;  // SDM INVLPG: no effect
    flush_as_asked(invlpg_drops(regime_, record.va));
    flush_fractured(regime_);
    flush_smashed();
}

FaultKind System::fault_of(const Invpcid& record) {
    if (!machine_.features.invpcid || !guest_has_pcids()) return FaultKind::kInvalidOpcode;
    const bool by_address = record.type == InvpcidType::kAddress;
    const bool by_pcid = by_address || record.type == InvpcidType::kSingleContext;
    const bool pcide = regime_.flags.test(ControlFlag::kPcide);
    const bool refused = (by_address && !is_canonical(record.va, regime_.linear.levels)) ||
                         (by_pcid && !pcide && record.pcid != Pcid(0));
    return refused ? FaultKind::kGeneralProtection : FaultKind::kNone;
}

void System::invpcid(const Invpcid& record) {
    const FaultKind fault = fault_of(record);
    if (fault == FaultKind::kInvalidOpcode) return refuse(fault);
    if (fault != FaultKind::kNone) return refuse(fault, record.va);
    flush_as_asked(invpcid_drops(regime_, record));
    if (record.type != InvpcidType::kAddress || !vcpu().mmu.fracture().invpcid) return;
    Regime named = regime_;
    named.pcid = record.pcid;
    flush_fractured(named);
}

void System::load_space(std::size_t space) {
    registers().load(space);
    enter_regime();
}

/// Bit 63 of the source operand is reserved while CR4.PCIDE is 0.
FaultKind System::fault_of(const MovCr3& record) {
    const bool pcide = registers().flags.test(ControlFlag::kPcide);
    return record.keep_entries && !pcide ? FaultKind::kGeneralProtection : FaultKind::kNone;
}

/// What the record loads into CR3.
LoadedSpace System::loaded_by(const MovCr3& record) {
    LoadedSpace next = registers();
    if (record.space) next = {.space = find_space(running(), *record.space)};
    if (record.pcid) next.pcid = record.pcid;
    next.tables = record.tables.value_or(next.tables);
    const Space& space = running().spaces[next.space];
    if (next.tables == Tables::kUser && space.user_root == 0) {
        throw OperationError("mov-cr3: space '" + space.name +
                             "' has no tables of the user's: system.os.pti is not on");
    }
    return next;
}

/// The registers with what the record loads into CR3.
Registers System::with_cr3(const MovCr3& record) {
    Registers next = registers();
    next.load(loaded_by(record));
    return next;
}

void System::mov_cr3(const MovCr3& record) {
    const LoadedSpace next = loaded_by(record);
    if (fault_of(record) != FaultKind::kNone) return refuse(fault_of(record));
    if (!record.keep_entries) {
        const bool pcide = registers().flags.test(ControlFlag::kPcide);
        const Pcid own = running().spaces[next.space].pcid;
        flush_as_asked(mov_cr3_drops(regime_, pcide ? next.pcid.value_or(own) : Pcid(0)));
    }
    registers().load(next);
    enter_regime();
}

/// CR4.LA57 cannot change in IA-32e mode; CR4.PCIDE cannot be set outside it, nor while CR3[11:0]
/// is not 0.
FaultKind System::fault_of(const MovCr4& record) {
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, record.write);
    const bool pcide_rises = !before.test(ControlFlag::kPcide) && after.test(ControlFlag::kPcide);
    const bool la57_changes = before.test(ControlFlag::kLa57) != after.test(ControlFlag::kLa57);
    const bool refused =
        la57_changes || (pcide_rises && (loaded_pcid() != Pcid(0) ||
                                         !before.test(ControlFlag::kPg) || !guest_has_pcids()));
    return refused ? FaultKind::kGeneralProtection : FaultKind::kNone;
}

void System::mov_cr4(const MovCr4& record) {
    if (fault_of(record) != FaultKind::kNone) return refuse(fault_of(record));
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, record.write);
    flush_as_asked(cr4_drops(regime_, before, after));
    registers().flags = after;
    enter_regime();
}

/// Clears and sets CR4.PGE, or the other way round: two writes, as kernels flush globals.
void System::toggle_pge() {
    for (int write = 0; write < 2; ++write) {
        ControlFlags pge;
        pge.set(ControlFlag::kPge);
        const bool is_set = registers().flags.test(ControlFlag::kPge);
        mov_cr4({is_set ? ControlWrite{.clear = pge} : ControlWrite{.set = pge}});
    }
}

/// Paging cannot be left with CR4.PCIDE set.
FaultKind System::fault_of(const MovCr0& record) {
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, record.write);
    const bool leaves_paging = before.test(ControlFlag::kPg) && !after.test(ControlFlag::kPg);
    return leaves_paging && before.test(ControlFlag::kPcide) ? FaultKind::kGeneralProtection
                                                             : FaultKind::kNone;
}

void System::mov_cr0(const MovCr0& record) {
    if (fault_of(record) != FaultKind::kNone) return refuse(fault_of(record));
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, record.write);
    flush_as_asked(cr0_drops(regime_, before, after));
    registers().flags = after;
    enter_regime();
}

FaultKind System::fault_of(const WrmsrEfer& record) {
    const bool tce = written(registers().flags, record.write).test(ControlFlag::kTce);
    return !amd() && tce ? FaultKind::kGeneralProtection : FaultKind::kNone;
}

void System::write_efer(const WrmsrEfer& record) {
    if (fault_of(record) != FaultKind::kNone) return refuse(fault_of(record));
    const ControlFlags before = registers().flags;
    const ControlFlags after = written(before, record.write);
    const bool nxe_changes = before.test(ControlFlag::kNxe) != after.test(ControlFlag::kNxe);
    // AMD flushes on writes of MSRs that translation depends on; Intel leaves it to software.
    const InvalidationChoices& choices = machine_.invalidation;
    const bool flushes = amd() ? choices.amd_efer_flushes : choices.intel_efer_flushes;
    if (flushes && nxe_changes) flush(everything());
    registers().flags = after;
    enter_regime();
}

void System::task_switch(const TaskSwitch& record) {
    const std::size_t space = find_space(running(), record.space);
    if (space == registers().space) return;
    flush_as_asked(mov_cr3_drops(regime_, Pcid(0)));
    load_space(space);
}

void System::enter_or_leave_smm() {
    if (amd()) flush(everything());
}

void System::declare_space(const DeclareSpace& record) {
    Software& owner = running();
    for (Space& space : owner.spaces) {
        if (space.name != record.name) continue;
        space.pcid = record.pcid.value_or(space.pcid);
        return enter_regime();
    }
    std::size_t spaces = 0;
    for (const Software& one : state_.software) spaces += one.spaces.size();
    if (owner.spaces.size() >= kPcidLimit || spaces >= kMostSpaces) {
        throw OperationError("space: too many address spaces");
    }
    const auto number = static_cast<std::uint16_t>(owner.spaces.size());
    add_space(vcpu().running, record.name, record.pcid.value_or(Pcid(number)));
}

}  // namespace nestwalk
