#include "models/operation.h"

namespace nestwalk {
namespace {

struct NameOf {
    const char* operator()(const Access& access) const { return name_of(access.kind); }
    const char* operator()(const Compute&) const { return "compute"; }
    const char* operator()(const Fence& fence) const {
        return fence.kind == FenceKind::kMfence ? "mfence" : "lfence";
    }
    const char* operator()(const ReadTimeStamp&) const { return "rdtsc"; }
    const char* operator()(const Invlpg&) const { return "invlpg"; }
    const char* operator()(const MovCr3&) const { return "mov-cr3"; }
    const char* operator()(const MovCr4&) const { return "mov-cr4"; }
    const char* operator()(const TogglePge&) const { return "toggle-pge"; }
    const char* operator()(const MovCr0&) const { return "mov-cr0"; }
    const char* operator()(const WrmsrEfer&) const { return "wrmsr"; }
    const char* operator()(const TaskSwitch&) const { return "task-switch"; }
    const char* operator()(const SystemManagementInterrupt&) const { return "smi"; }
    const char* operator()(const ResumeFromSmm&) const { return "rsm"; }
    const char* operator()(const VmcbCr3&) const { return "vmcb-cr3"; }
    const char* operator()(const Invpcid&) const { return "invpcid"; }
    const char* operator()(const Invvpid&) const { return "invvpid"; }
    const char* operator()(const Invept&) const { return "invept"; }
    const char* operator()(const Invlpga&) const { return "invlpga"; }
    const char* operator()(const Invlpgb&) const { return "invlpgb"; }
    const char* operator()(const Tlbsync&) const { return "tlbsync"; }
    const char* operator()(const WriteBackInvalidate&) const { return "wbinvd"; }
    const char* operator()(const DeclareVm&) const { return "vm"; }
    const char* operator()(const DeclareEptp&) const { return "eptp"; }
    const char* operator()(const VmEntry&) const { return "vmentry"; }
    const char* operator()(const VmExit&) const { return "vmexit"; }
    const char* operator()(const Vmfunc&) const { return "vmfunc"; }
    const char* operator()(const Evict&) const { return "evict"; }
    const char* operator()(const Shootdown&) const { return "shootdown"; }
    const char* operator()(const FlushRange&) const { return "flush-range"; }
    const char* operator()(const SwitchSpace&) const { return "switch"; }
    const char* operator()(const DeclareSpace&) const { return "space"; }
    const char* operator()(const Map&) const { return "map"; }
    const char* operator()(const Unmap&) const { return "unmap"; }
    const char* operator()(const Protect&) const { return "protect"; }
    const char* operator()(const Collapse&) const { return "collapse"; }
    const char* operator()(const Split&) const { return "split"; }
    const char* operator()(const HostMap&) const { return "host-map"; }
    const char* operator()(const HostUnmap&) const { return "host-unmap"; }
    const char* operator()(const HostSplit&) const { return "host-split"; }
    const char* operator()(const HostCollapse&) const { return "host-collapse"; }
    const char* operator()(const HostProtect&) const { return "host-protect"; }
    const char* operator()(const SetEntry&) const { return "set-entry"; }
    const char* operator()(const HostSetEntry&) const { return "host-set-entry"; }
    const char* operator()(const SelectCpu&) const { return "cpu"; }
    const char* operator()(const Lock&) const { return "lock"; }
    const char* operator()(const Unlock&) const { return "unlock"; }
};

}  // namespace

const char* name_of(AccessKind kind) {
    switch (kind) {
        case AccessKind::kLoad:
            return "load";
        case AccessKind::kStore:
            return "store";
        case AccessKind::kFetch:
            return "fetch";
    }
    return "";
}

const char* name_of(const Operation& operation) { return std::visit(NameOf{}, operation); }

}  // namespace nestwalk
