// The table of hypervisor_policy.h. A row without a source is what follows for lack of the thing:
// no page fault is anybody's business under EPT, no EPT violation happens without EPT.

#include "models/hypervisor_policy.h"

#include <algorithm>
#include <initializer_list>

namespace nestwalk {
namespace {

using A = GuestAction;
using X = ExitRule;
using F = HypervisorFlush;
using W = FlushRule;
using Rows = std::array<Interception, kGuestActions>;

struct Cell {
    std::initializer_list<GuestAction> actions;
    Interception interception;
};

constexpr Rows rows_of(std::initializer_list<Cell> cells) {
    Rows rows{};
    for (const Cell& cell : cells) {
        for (const GuestAction action : cell.actions) {
            rows[static_cast<std::size_t>(action)] = cell.interception;
        }
    }
    return rows;
}

// CR4 bits and EFER.NXE that KVM has in the role of its MMU: a change makes it load its root anew,
// and that flushes.
constexpr std::initializer_list<GuestAction> kMmuRoleBits{A::kCr4Smep, A::kCr4Smap, A::kCr4Pke,
                                                          A::kCr4Pae,  A::kCr4Pse,  A::kCr4La57};

constexpr Rows kKvmEptRows = rows_of({
    {{A::kMovCr3, A::kInvlpg, A::kInvpcid}, {X::kNever, F::kNothing, {}, "vmx_exec_control"}},
    {{A::kCr4Pge}, {X::kNever, F::kContext, {}, "set_cr4_guest_host_mask, kvm_post_set_cr4"}},
    {{A::kCr4Pcide}, {X::kOnChange, F::kContext, W::kWhenClear, "kvm_post_set_cr4"}},
    {kMmuRoleBits, {X::kOnChange, F::kHostTable, {}, "kvm_post_set_cr4, kvm_mmu_load"}},
    {{A::kCr0Pg}, {X::kOnChange, F::kHostTable, {}, "kvm_post_set_cr0, kvm_mmu_load"}},
    {{A::kCr0Wp}, {X::kNever, F::kNothing, {}, "KVM_LAZY_CR0_GUEST_BITS"}},
    {{A::kEfer}, {X::kAlways, F::kHostTable, {}, "set_efer, kvm_mmu_load"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kContext, {}, "SDM VM exits; kvm_invalidate_pcid"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "SDM VM exits"}},
    {{A::kHostFault}, {X::kAlways, F::kNothing, {}, "SDM EPT violations"}},
});

constexpr Rows kKvmShadowIntelRows = rows_of({
    {{A::kMovCr3}, {X::kAlways, F::kRoot, {}, "vmx_exec_control, kvm_mmu_new_pgd"}},
    {{A::kInvlpg}, {X::kAlways, F::kShadowInvlpg, {}, "vmx_exec_control, vmx_flush_tlb_gva"}},
    {{A::kInvpcid}, {X::kAlways, F::kByType, {}, "vmx_exec_control, kvm_handle_invpcid"}},
    {{A::kCr4Pge}, {X::kOnChange, F::kContext, {}, "set_cr4_guest_host_mask, kvm_post_set_cr4"}},
    {{A::kCr4Pcide}, {X::kOnChange, F::kContext, {}, "kvm_post_set_cr4, kvm_mmu_load"}},
    {kMmuRoleBits, {X::kOnChange, F::kContext, {}, "kvm_post_set_cr4, kvm_mmu_load"}},
    {{A::kCr0Pg, A::kCr0Wp}, {X::kOnChange, F::kContext, {}, "kvm_post_set_cr0, kvm_mmu_load"}},
    {{A::kEfer}, {X::kAlways, F::kContext, {}, "set_efer, kvm_mmu_load"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kContext, {}, "SDM VM exits; kvm_invalidate_pcid"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "SDM VM exits"}},
    {{A::kPageFault}, {X::kAlways, F::kNothing, {}, "vmx_update_exception_bitmap"}},
    {{A::kTableWrite},
     {X::kIfInSync, F::kAllContexts, {}, "kvm_mmu_track_write, mmu_try_to_unsync_pages"}},
});

constexpr Rows kKvmNptRows = rows_of({
    {{A::kMovCr3, A::kInvlpg}, {X::kNever, F::kNothing, {}, "init_vmcb"}},
    {{A::kInvpcid}, {X::kNever, F::kNothing, {}, "svm_check_invpcid"}},
    {{A::kCr4Pge}, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_post_set_cr4"}},
    {{A::kCr4Pcide}, {X::kAlways, F::kContext, W::kWhenClear, "init_vmcb, kvm_post_set_cr4"}},
    {kMmuRoleBits, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_mmu_load"}},
    {{A::kCr0Pg}, {X::kOnChange, F::kContext, {}, "svm_set_cr0, kvm_mmu_load"}},
    {{A::kCr0Wp}, {X::kOnChange, F::kNothing, {}, "svm_set_cr0, kvm_post_set_cr0"}},
    {{A::kEfer}, {X::kAlways, F::kContext, {}, "set_efer, kvm_mmu_load"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_invalidate_pcid"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "init_vmcb"}},
    {{A::kHostFault}, {X::kAlways, F::kNothing, {}, "APM Nested Table Walk"}},
});

constexpr Rows kKvmShadowAmdRows = rows_of({
    {{A::kMovCr3}, {X::kAlways, F::kRoot, {}, "init_vmcb, kvm_mmu_new_pgd"}},
    {{A::kInvlpg}, {X::kAlways, F::kShadowInvlpg, {}, "init_vmcb, svm_flush_tlb_gva"}},
    {{A::kInvpcid}, {X::kAlways, F::kByType, {}, "svm_check_invpcid, kvm_handle_invpcid"}},
    {{A::kCr4Pge}, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_post_set_cr4"}},
    {{A::kCr4Pcide}, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_mmu_load"}},
    {kMmuRoleBits, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_mmu_load"}},
    {{A::kCr0Pg, A::kCr0Wp}, {X::kOnChange, F::kContext, {}, "svm_set_cr0, kvm_mmu_load"}},
    {{A::kEfer}, {X::kAlways, F::kContext, {}, "set_efer, kvm_mmu_load"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kContext, {}, "init_vmcb, kvm_invalidate_pcid"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "init_vmcb"}},
    {{A::kPageFault}, {X::kAlways, F::kNothing, {}, "init_vmcb"}},
    {{A::kTableWrite},
     {X::kIfInSync, F::kAllContexts, {}, "kvm_mmu_track_write, mmu_try_to_unsync_pages"}},
});

// Xen flushes when CR4.PGE, PAE, PSE or SMEP changes and when PCIDE is cleared, on both vendors.
constexpr std::initializer_list<GuestAction> kXenFlushingBits{A::kCr4Pge, A::kCr4Smep, A::kCr4Pae,
                                                              A::kCr4Pse};
constexpr std::initializer_list<GuestAction> kXenOtherBits{A::kCr4Smap, A::kCr4Pke, A::kCr4La57};

constexpr Rows kXenHapIntelRows = rows_of({
    {{A::kMovCr3, A::kInvlpg, A::kInvpcid}, {X::kNever, F::kNothing, {}, "construct_vmcs"}},
    {{A::kCr4Pge, A::kCr4Smep, A::kCr4Pse},
     {X::kNever, F::kNewTag, {}, "vmx_update_guest_cr, hvm_set_cr4"}},
    {{A::kCr4Pcide}, {X::kNever, F::kNewTag, W::kWhenClear, "vmx_update_guest_cr, hvm_set_cr4"}},
    {{A::kCr4Smap}, {X::kNever, F::kNothing, {}, "vmx_update_guest_cr"}},
    {{A::kCr4Pke, A::kCr4La57}, {X::kOnChange, F::kNothing, {}, "vmx_update_guest_cr"}},
    {{A::kCr4Pae}, {X::kOnChange, F::kNewTag, {}, "vmx_update_guest_cr, hvm_set_cr4"}},
    {{A::kCr0Pg}, {X::kOnChange, F::kNewTag, {}, "construct_vmcs, hvm_set_cr0"}},
    {{A::kCr0Wp}, {X::kOnChange, F::kNothing, {}, "construct_vmcs, hvm_set_cr0"}},
    {{A::kEfer}, {X::kAlways, F::kNothing, {}, "hvm_set_efer"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kNewTag, {}, "SDM VM exits; hvm_task_switch"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "SDM VM exits"}},
    {{A::kHostFault}, {X::kAlways, F::kNothing, {}, "SDM EPT violations"}},
});

constexpr Rows kXenHapUnfilteredRows = rows_of({
    {{A::kMovCr3, A::kInvlpg, A::kInvpcid}, {X::kNever, F::kNothing, {}, "construct_vmcs"}},
    {kXenFlushingBits, {X::kAlways, F::kNewTag, {}, "Xen before 4.10; hvm_set_cr4"}},
    {{A::kCr4Pcide}, {X::kAlways, F::kNewTag, W::kWhenClear, "Xen before 4.10; hvm_set_cr4"}},
    {kXenOtherBits, {X::kAlways, F::kNothing, {}, "Xen before 4.10; hvm_set_cr4"}},
    {{A::kCr0Pg}, {X::kOnChange, F::kNewTag, {}, "construct_vmcs, hvm_set_cr0"}},
    {{A::kCr0Wp}, {X::kOnChange, F::kNothing, {}, "construct_vmcs, hvm_set_cr0"}},
    {{A::kEfer}, {X::kAlways, F::kNothing, {}, "hvm_set_efer"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kNewTag, {}, "SDM VM exits; hvm_task_switch"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "SDM VM exits"}},
    {{A::kHostFault}, {X::kAlways, F::kNothing, {}, "SDM EPT violations"}},
});

constexpr Rows kXenHapAmdRows = rows_of({
    {{A::kMovCr3, A::kInvlpg, A::kInvpcid}, {X::kNever, F::kNothing, {}, "construct_vmcb"}},
    {kXenFlushingBits, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_set_cr4"}},
    {{A::kCr4Pcide}, {X::kAlways, F::kNewTag, W::kWhenClear, "construct_vmcb, hvm_set_cr4"}},
    {kXenOtherBits, {X::kAlways, F::kNothing, {}, "construct_vmcb, hvm_set_cr4"}},
    {{A::kCr0Pg}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_set_cr0"}},
    {{A::kCr0Wp}, {X::kAlways, F::kNothing, {}, "construct_vmcb, hvm_set_cr0"}},
    {{A::kEfer}, {X::kAlways, F::kNothing, {}, "hvm_set_efer"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_task_switch"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "construct_vmcb"}},
    {{A::kHostFault}, {X::kAlways, F::kNothing, {}, "APM Nested Table Walk"}},
});

constexpr Rows kXenShadowIntelRows = rows_of({
    {{A::kMovCr3}, {X::kAlways, F::kNewTag, {}, "construct_vmcs, vmx_update_guest_cr"}},
    {{A::kInvlpg}, {X::kAlways, F::kAddress, {}, "construct_vmcs, vpid_sync_vcpu_gva"}},
    {{A::kInvpcid}, {X::kNever, F::kNothing, {}, "not offered to guests with shadow paging"}},
    {kXenFlushingBits, {X::kOnChange, F::kNewTag, {}, "vmx_update_guest_cr, hvm_set_cr4"}},
    {{A::kCr4Pcide}, {X::kOnChange, F::kNothing, {}, "not offered to guests with shadow paging"}},
    {kXenOtherBits, {X::kOnChange, F::kNothing, {}, "vmx_update_guest_cr, hvm_set_cr4"}},
    {{A::kCr0Pg}, {X::kOnChange, F::kNewTag, {}, "construct_vmcs, hvm_set_cr0"}},
    {{A::kCr0Wp}, {X::kOnChange, F::kNewTag, {}, "construct_vmcs; assumed: shadows made anew"}},
    {{A::kEfer}, {X::kAlways, F::kNewTag, {}, "hvm_set_efer; assumed: shadows made anew"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kNewTag, {}, "SDM VM exits; hvm_task_switch"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "SDM VM exits"}},
    {{A::kPageFault}, {X::kAlways, F::kNothing, {}, "vmx_update_exception_bitmap"}},
    {{A::kTableWrite}, {X::kIfInSync, F::kNewTag, {}, "sh_x86_emulate_write, sh_unsync"}},
});

constexpr Rows kXenShadowAmdRows = rows_of({
    {{A::kMovCr3}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, svm_update_guest_cr"}},
    {{A::kInvlpg}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, svm_invlpg"}},
    {{A::kInvpcid}, {X::kNever, F::kNothing, {}, "not offered to guests with shadow paging"}},
    {kXenFlushingBits, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_set_cr4"}},
    {{A::kCr4Pcide}, {X::kAlways, F::kNothing, {}, "not offered to guests with shadow paging"}},
    {kXenOtherBits, {X::kAlways, F::kNothing, {}, "construct_vmcb, hvm_set_cr4"}},
    {{A::kCr0Pg}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_set_cr0"}},
    {{A::kCr0Wp}, {X::kAlways, F::kNewTag, {}, "construct_vmcb; assumed: shadows made anew"}},
    {{A::kEfer}, {X::kAlways, F::kNewTag, {}, "hvm_set_efer; assumed: shadows made anew"}},
    {{A::kTaskSwitch}, {X::kAlways, F::kNewTag, {}, "construct_vmcb, hvm_task_switch"}},
    {{A::kVmInstruction}, {X::kAlways, F::kNothing, {}, "construct_vmcb"}},
    {{A::kPageFault}, {X::kAlways, F::kNothing, {}, "construct_vmcb"}},
    {{A::kTableWrite}, {X::kIfInSync, F::kNewTag, {}, "sh_x86_emulate_write, sh_unsync"}},
});

constexpr Cr4Filter kFilter = Cr4Filter::kPerBit;
constexpr std::array kColumns{
    HypervisorColumn{"kvm-ept", Hypervisor::kKvmEpt, Vendor::kIntel, kFilter, kKvmEptRows},
    HypervisorColumn{"kvm-shadow", Hypervisor::kKvmShadow, Vendor::kIntel, kFilter,
                     kKvmShadowIntelRows},
    HypervisorColumn{"kvm-npt", Hypervisor::kKvmNpt, Vendor::kAmd, kFilter, kKvmNptRows},
    HypervisorColumn{"kvm-shadow", Hypervisor::kKvmShadow, Vendor::kAmd, kFilter,
                     kKvmShadowAmdRows},
    HypervisorColumn{"xen-hap", Hypervisor::kXenHap, Vendor::kIntel, kFilter, kXenHapIntelRows},
    HypervisorColumn{"xen-hap cr4_filter: off", Hypervisor::kXenHap, Vendor::kIntel,
                     Cr4Filter::kNone, kXenHapUnfilteredRows},
    HypervisorColumn{"xen-hap", Hypervisor::kXenHap, Vendor::kAmd, kFilter, kXenHapAmdRows},
    HypervisorColumn{"xen-shadow", Hypervisor::kXenShadow, Vendor::kIntel, kFilter,
                     kXenShadowIntelRows},
    HypervisorColumn{"xen-shadow", Hypervisor::kXenShadow, Vendor::kAmd, kFilter,
                     kXenShadowAmdRows}};

}  // namespace

std::span<const HypervisorColumn> hypervisor_columns() { return kColumns; }

const HypervisorColumn* hypervisor_column(const HypervisorParameters& parameters, Vendor vendor) {
    const Hypervisor kind =
        parameters.kind == Hypervisor::kXenPvShim ? Hypervisor::kXenHap : parameters.kind;
    // Only Xen on Intel has the choice.
    const bool choice = kind == Hypervisor::kXenHap && vendor == Vendor::kIntel;
    const Cr4Filter filter = choice ? parameters.cr4_filter : Cr4Filter::kPerBit;
    const auto found =
        std::find_if(kColumns.begin(), kColumns.end(), [&](const HypervisorColumn& column) {
            return column.kind == kind && column.vendor == vendor && column.cr4_filter == filter;
        });
    return found == kColumns.end() ? nullptr : &*found;
}

}  // namespace nestwalk
