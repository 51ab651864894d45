#pragma once

// What each operation must drop, and nothing more: SDM "Operations that Invalidate TLBs and
// Paging-Structure Caches" and "Operations that Invalidate Cached Mappings" of VPIDs and EPT, APM
// "TLB Management" and "Invalidating TLB Entries". Where the manuals leave a choice, the rule says
// which one is made.
//
// On Intel the ordinary operations work on the linear and combined mappings of the current VPID,
// whatever the EP4TA; on AMD on those of the current ASID. Guest-physical mappings are none of
// their business.

#include "models/control_flags.h"
#include "models/fault.h"
#include "models/machine.h"
#include "models/operation.h"
#include "models/outcome.h"
#include "models/regime.h"
#include "models/selection.h"

#include <vector>

namespace nestwalk {

struct FlushPlan {
    FlushScope scope{};
    std::vector<Selection> selections{};
};

// --- Ordinary operations ------------------------------------------------------------------------

/// The page of `va`, global or not, and all paging-structure entries of the current PCID. AMD:
/// those of every PCID of the ASID, or with EFER.TCE only those that lead to `va`.
FlushPlan invlpg_drops(const Regime& regime, VirtAddr va);
/// MOV to CR3 without bit 63: the non-global mappings of the PCID that is loaded.
FlushPlan mov_cr3_drops(const Regime& regime, Pcid loaded);
FlushPlan cr4_drops(const Regime& regime, ControlFlags before, ControlFlags after);
FlushPlan cr0_drops(const Regime& regime, ControlFlags before, ControlFlags after);
FlushPlan invpcid_drops(const Regime& regime, const Invpcid& operation);

/// The translations of `va` that the current state could use, and nothing else: the `evict` hook.
Selection evicted_entries(const Regime& regime, VirtAddr va);

// --- Faults -------------------------------------------------------------------------------------

/// The paging-structure entries that could translate `va` under the current PCID.
Selection paging_structures_of(const Regime& regime, VirtAddr va);
/// A page fault on `va`: its page, and the paging-structure entries that lead to it.
std::vector<Selection> page_fault_drops(const Regime& regime, VirtAddr va);
std::vector<Selection> fault_drops(const Regime& regime, const Fault& fault);
/// The flush of a page-selective invalidation while a fractured translation is present.
Selection fracture_drop(const Regime& regime, const FractureParameters& fracture);

/// Every translation of every context: the TLB alone.
Selection all_translations();

// --- Virtualization -----------------------------------------------------------------------------

/// VM entry or VM exit without "enable VPID": everything of VPID 0, globals included.
FlushPlan vm_transition_drops();
FlushPlan invvpid_drops(InvvpidType type, Vpid vpid, VirtAddr va);
FlushPlan invept_drops(InveptType type, Ep4ta ep4ta);
/// VMRUN with TLB_CONTROL for the ASID that is entered.
FlushPlan tlb_control_drops(TlbControl control, Asid asid, const InvalidationChoices& choices);
FlushPlan invlpga_drops(VirtAddr va, Asid asid);
FlushPlan invlpgb_drops(const Invlpgb& operation);
/// SMI, RSM and the like on AMD: everything of every ASID.
FlushPlan everything();

}  // namespace nestwalk
