// What software does to the caches of a TlmMmu, by the rules that the simulator's records follow.

#include "sim/tlm_mmu.h"

namespace nestwalk {

void TlmMmu::drop(const FlushPlan& plan, Outcome& outcome) {
    for (const Selection& selection : plan.selections) mmu_.drop(selection, outcome);
}

Dropped TlmMmu::perform(const FlushPlan& plan) {
    Outcome outcome;
    drop(plan, outcome);
    return outcome.dropped;
}

void TlmMmu::flush_fractured(const Regime& named, Outcome& outcome) {
    if (mmu_.fracture().full_flush && mmu_.fracture_present()) {
        mmu_.flush_fractured(named, outcome);
    }
}

// --- By the context itself ----------------------------------------------------------------------

Dropped TlmMmu::invlpg(ContextNumber number, VirtAddr va) {
    const Regime current = regime(number);
    Outcome outcome;
    if (!is_canonical(va, current.linear.levels)) return {};
    drop(invlpg_drops(current, va), outcome);
    flush_fractured(current, outcome);
    mmu_.flush_smashed(outcome);
    return outcome.dropped;
}

void TlmMmu::load_cr3(ContextNumber number, std::uint64_t root, Pcid pcid) {
    TlmContext& loaded = contexts_.at(number);
    loaded.root = root;
    loaded.pcid = pcid;
}

Dropped TlmMmu::mov_cr3(ContextNumber number, std::uint64_t root, Pcid pcid) {
    const bool pcide = contexts_.at(number).flags.test(ControlFlag::kPcide);
    const Dropped dropped = perform(mov_cr3_drops(regime(number), pcide ? pcid : Pcid(0)));
    load_cr3(number, root, pcid);
    return dropped;
}

void TlmMmu::mov_cr3_noflush(ContextNumber number, std::uint64_t root, Pcid pcid) {
    load_cr3(number, root, pcid);
}

Dropped TlmMmu::write_control(ContextNumber number, ControlFlags flags) {
    const Regime current = regime(number);
    const ControlFlags before = contexts_.at(number).flags;
    Outcome outcome;
    drop(cr0_drops(current, before, flags), outcome);
    drop(cr4_drops(current, before, flags), outcome);
    const bool nxe_changes = before.test(ControlFlag::kNxe) != flags.test(ControlFlag::kNxe);
    const bool efer_flushes =
        vendor_ == Vendor::kAmd ? choices_.amd_efer_flushes : choices_.intel_efer_flushes;
    if (nxe_changes && efer_flushes) drop(everything(), outcome);
    contexts_.at(number).flags = flags;
    return outcome.dropped;
}

Dropped TlmMmu::invpcid(ContextNumber number, const Invpcid& operation) {
    Regime named = regime(number);
    Outcome outcome;
    drop(invpcid_drops(named, operation), outcome);
    if (operation.type == InvpcidType::kAddress && mmu_.fracture().invpcid) {
        named.pcid = operation.pcid;
        flush_fractured(named, outcome);
    }
    return outcome.dropped;
}

// --- By a hypervisor ----------------------------------------------------------------------------

Dropped TlmMmu::invvpid(InvvpidType type, Vpid vpid, VirtAddr va) {
    Outcome outcome;
    drop(invvpid_drops(type, vpid, va), outcome);
    if (type == InvvpidType::kAddress && mmu_.fracture().invvpid) {
        Regime named;
        named.vendor = vendor_;
        named.context = vpid.value();
        flush_fractured(named, outcome);
    }
    return outcome.dropped;
}

Dropped TlmMmu::invept(InveptType type, std::uint64_t host_root) {
    return perform(invept_drops(type, Ep4ta(host_root >> 12)));
}

Dropped TlmMmu::invlpga(VirtAddr va, Asid asid) {
    Outcome outcome;
    drop(invlpga_drops(va, asid), outcome);
    mmu_.flush_smashed(outcome);
    return outcome.dropped;
}

Dropped TlmMmu::tlb_control(TlbControl control, Asid asid) {
    return perform(tlb_control_drops(control, asid, choices_));
}

Dropped TlmMmu::vm_transition() { return perform(vm_transition_drops()); }

Dropped TlmMmu::drop_everything() { return perform(everything()); }

}  // namespace nestwalk
