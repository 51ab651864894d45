#include "models/hypervisor_policy.h"

namespace nestwalk {
namespace {

bool shadows(Hypervisor kind) {
    return kind == Hypervisor::kKvmShadow || kind == Hypervisor::kXenShadow;
}

}  // namespace

std::string hypervisor_error(const SystemParameters& system, Vendor vendor) {
    const Hypervisor kind = system.hypervisor.kind;
    const bool amd = vendor == Vendor::kAmd;
    if (kind == Hypervisor::kNone) return {};
    if (system.paging == Paging::kNative) {
        return std::string(
                   "a hypervisor needs a guest, but system.paging is native; write "
                   "paging: ") +
               (shadows(kind) ? "shadow" : "nested");
    }
    if (kind == Hypervisor::kKvmEpt && amd) {
        return "kvm-ept is KVM on Intel, but the machine is AMD; write kvm-npt";
    }
    if (kind == Hypervisor::kKvmNpt && !amd) {
        return "kvm-npt is KVM on AMD, but the machine is Intel; write kvm-ept";
    }
    const bool shadow = system.paging == Paging::kShadow;
    if (shadows(kind) && !shadow) return "it shadows page tables; write paging: shadow";
    if (!shadows(kind) && shadow) {
        return "it does not shadow page tables; write paging: nested, or the hypervisor " +
               std::string(kind == Hypervisor::kKvmEpt || kind == Hypervisor::kKvmNpt
                               ? "kvm-shadow"
                               : "xen-shadow");
    }
    if (kind == Hypervisor::kXenShadow && system.pcid) {
        return "Xen offers no PCIDs to guests whose tables it shadows; write tags: {pcid: off}";
    }
    return {};
}

std::string_view name_of(GuestAction action) {
    switch (action) {
        case GuestAction::kMovCr3:
            return "MOV CR3";
        case GuestAction::kInvlpg:
            return "INVLPG";
        case GuestAction::kInvpcid:
            return "INVPCID";
        case GuestAction::kCr4Pge:
            return "CR4.PGE";
        case GuestAction::kCr4Pcide:
            return "CR4.PCIDE";
        case GuestAction::kCr4Smep:
            return "CR4.SMEP";
        case GuestAction::kCr4Smap:
            return "CR4.SMAP";
        case GuestAction::kCr4Pke:
            return "CR4.PKE";
        case GuestAction::kCr4Pae:
            return "CR4.PAE";
        case GuestAction::kCr4Pse:
            return "CR4.PSE";
        case GuestAction::kCr4La57:
            return "CR4.LA57";
        case GuestAction::kCr0Pg:
            return "CR0.PG";
        case GuestAction::kCr0Wp:
            return "CR0.WP";
        case GuestAction::kEfer:
            return "WRMSR EFER";
        case GuestAction::kTaskSwitch:
            return "task switch";
        case GuestAction::kVmInstruction:
            return "INVVPID, INVEPT, INVLPGA";
        case GuestAction::kPageFault:
            return "#PF";
        case GuestAction::kHostFault:
            return "EPT violation, NPF";
        case GuestAction::kTableWrite:
            return "page-table write";
    }
    return "";
}

std::optional<GuestAction> action_of(ControlFlag flag) {
    switch (flag) {
        case ControlFlag::kPg:
            return GuestAction::kCr0Pg;
        case ControlFlag::kWp:
            return GuestAction::kCr0Wp;
        case ControlFlag::kPge:
            return GuestAction::kCr4Pge;
        case ControlFlag::kPcide:
            return GuestAction::kCr4Pcide;
        case ControlFlag::kSmep:
            return GuestAction::kCr4Smep;
        case ControlFlag::kSmap:
            return GuestAction::kCr4Smap;
        case ControlFlag::kPke:
            return GuestAction::kCr4Pke;
        case ControlFlag::kPae:
            return GuestAction::kCr4Pae;
        case ControlFlag::kPse:
            return GuestAction::kCr4Pse;
        case ControlFlag::kLa57:
            return GuestAction::kCr4La57;
        case ControlFlag::kNxe:
        case ControlFlag::kTce:
            break;
    }
    return std::nullopt;
}

std::string_view name_of(ExitRule rule) {
    switch (rule) {
        case ExitRule::kNever:
            return "no";
        case ExitRule::kOnChange:
            return "if it changes";
        case ExitRule::kIfInSync:
            return "if in sync";
        case ExitRule::kAlways:
            return "yes";
    }
    return "";
}

std::string name_of(HypervisorFlush flush, Vendor vendor) {
    const bool amd = vendor == Vendor::kAmd;
    const std::string address = amd ? "INVLPGA" : "INVVPID 0";
    const std::string context = amd ? "TLB_CONTROL=3" : "INVVPID 1";
    switch (flush) {
        case HypervisorFlush::kNothing:
            return "-";
        case HypervisorFlush::kAddress:
            return address;
        case HypervisorFlush::kContext:
            return context;
        case HypervisorFlush::kHostTable:
            return "INVEPT 1";
        case HypervisorFlush::kNewTag:
            return amd ? "new ASID" : "new VPID";
        case HypervisorFlush::kShadowInvlpg:
            return address + " (shadow_invlpg)";
        case HypervisorFlush::kByType:
            return address + ", " + context;
        case HypervisorFlush::kRoot:
            return context + ", or -";
        case HypervisorFlush::kAllContexts:
            return amd ? context : "INVVPID 2";
    }
    return "";
}

}  // namespace nestwalk
