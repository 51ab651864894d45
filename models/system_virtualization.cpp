// Records that enter and leave virtual machines, and the invalidations that only a hypervisor
// executes.

#include "models/operation_error.h"
#include "models/system.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// ECX[15:0] of INVLPGB counts pages beyond the first.
constexpr std::uint64_t kMostInvlpgbPages = 0x10000;
/// Selections that wait for a TLBSYNC; hardware has a bound too, which no manual gives.
constexpr std::size_t kMostPending = 4096;

}  // namespace

void System::declare_vm(const DeclareVm& record) {
    if (parameters_.paging == Paging::kNative) {
        throw OperationError("vm: system.paging is native, so there are no virtual machines");
    }
    for (std::size_t index = 1; index < state_.software.size(); ++index) {
        Software& software = state_.software[index];
        if (software.name != record.name) continue;
        software.vpid = record.vpid.value_or(software.vpid);
        software.asid = record.asid.value_or(software.asid);
        if (record.vpid || record.asid) {
            for (Vcpu& cpu : state_.vcpus) cpu.registers[index].tag = 0;
        }
        if (record.eptp) {
            software.host_table = find_host_table(*record.eptp);
            drop_shadows();
        }
        return enter_regime();
    }
    add_virtual_machine(record);
    enter_regime();
}

void System::declare_eptp(const DeclareEptp& record) {
    if (parameters_.paging == Paging::kNative) {
        throw OperationError("eptp: system.paging is native, so there are no host tables");
    }
    for (HostTable& table : state_.host_tables) {
        if (table.name != record.name) continue;
        table.accessed_dirty = record.accessed_dirty.value_or(table.accessed_dirty);
        return enter_regime();
    }
    add_host_table(record.name, record.accessed_dirty.value_or(parameters_.host.accessed_dirty));
}

/// The VPID or ASID that a virtual machine has on a vCPU, VPIDs being on.
std::uint16_t System::tag_of(std::size_t software, std::size_t cpu) const {
    const std::uint16_t given = state_.vcpus[cpu].registers[software].tag;
    const Software& declared = state_.software[software];
    if (given != 0) return given;
    return amd() ? declared.asid.value() : declared.vpid.value();
}

void System::vm_entry(const VmEntry& record) {
    if (in_guest()) throw OperationError("vmentry: a guest is running already");
    std::size_t vm = virtual_machine();
    if (record.vm) {
        vm = 1;
        while (vm < state_.software.size() && state_.software[vm].name != *record.vm) ++vm;
        if (vm == state_.software.size()) {
            throw OperationError("no virtual machine '" + *record.vm + "'; declare it with 'vm " +
                                 *record.vm + "'");
        }
    }
    if (!amd() && record.tlb_control != TlbControl::kNothing) {
        throw OperationError("vmentry: tlb-control belongs to AMD machines");
    }
    const bool by_asid = record.tlb_control == TlbControl::kThisAsid ||
                         record.tlb_control == TlbControl::kThisAsidNonGlobal;
    if (by_asid && !machine_.features.flush_by_asid) return refuse(FaultKind::kInvalidVmcb);
    const std::uint16_t tag = tag_of(vm);
    if (amd() && tag == 0) return refuse(FaultKind::kInvalidVmcb);
    if (!amd() && parameters_.vpid && tag == 0) return refuse(FaultKind::kVmFail);
    if (amd())
        flush_as_asked(tlb_control_drops(record.tlb_control, Asid(tag), machine_.invalidation));
    if (!amd() && !parameters_.vpid) flush(vm_transition_drops());
    vcpu().running = vcpu().last_vm = vm;
    enter_regime();
}

void System::vm_exit() {
    if (!in_guest()) throw OperationError("vmexit: no guest is running");
    ++outcome_.exits;
    if (!amd() && !parameters_.vpid) flush(vm_transition_drops());
    vcpu().running = 0;
    enter_regime();
}

void System::vmfunc(const Vmfunc& record) {
    if (amd() || !regime_.nested) return refuse(FaultKind::kInvalidOpcode);
    running().host_table = find_host_table(record.eptp);
    enter_regime();
}

void System::vmcb_cr3(const VmcbCr3& record) {
    const std::size_t vm = virtual_machine();
    if (in_guest()) throw OperationError("vmcb-cr3: the hypervisor edits it, not the guest");
    vcpu().registers[vm].load(find_space(state_.software[vm], record.space));
}

/// False if the instruction does not reach its operation: #UD on AMD, a VM exit in a guest.
bool System::in_vmx_root() {
    if (amd()) return refuse(FaultKind::kInvalidOpcode), false;
    if (!in_guest()) return true;
    ++outcome_.exits;
    answer_exit();
    return false;
}

bool System::in_svm_host() {
    if (!amd()) return refuse(FaultKind::kInvalidOpcode), false;
    if (!in_guest()) return true;
    ++outcome_.exits;
    return false;
}

void System::invvpid(const Invvpid& record) {
    if (!in_vmx_root()) return;
    const Vpid vpid = record.vpid.value_or(Vpid(tag_of(virtual_machine())));
    const bool by_address = record.type == InvvpidType::kAddress;
    const bool by_vpid = record.type != InvvpidType::kAllContexts;
    if ((by_vpid && vpid == Vpid(0)) ||
        (by_address && !is_canonical(record.va, regime_.linear.levels))) {
        return refuse(FaultKind::kVmFail, record.va);
    }
    flush_as_asked(invvpid_drops(record.type, vpid, record.va));
    if (!by_address || !vcpu().mmu.fracture().invvpid) return;
    Regime named = regime_;
    named.context = vpid.value();
    flush_fractured(named);
}

void System::invept(const Invept& record) {
    if (!in_vmx_root()) return;
    const std::size_t table = record.eptp ? find_host_table(*record.eptp)
                              : record.type == InveptType::kSingleContext ? hosted().host_table
                                                                          : 0;
    const Ep4ta ep4ta(state_.host_tables.empty() ? 0 : state_.host_tables[table].root >> 12);
    flush_as_asked(invept_drops(record.type, ep4ta));
}

void System::invlpga(const Invlpga& record) {
    if (!in_svm_host()) return;
    flush_as_asked(invlpga_drops(record.va, record.asid));
    flush_smashed();
}

/// Reaches the issuing vCPU at once, and the others at once or when it executes TLBSYNC.
void System::invlpgb(const Invlpgb& record) {
    if (!amd() || !machine_.features.invlpgb) return refuse(FaultKind::kInvalidOpcode);
    if (record.pages > kMostInvlpgbPages) return refuse(FaultKind::kGeneralProtection);
    Invlpgb operation = record;
    // Hardware substitutes the guest's own.
    if (in_guest()) operation.asid = Asid(tag_of(vcpu().running));
    const FlushPlan plan = invlpgb_drops(operation);
    outcome_.asked.add(plan.scope);
    flush(plan);
    if (state_.vcpus.size() == 1) return;
    if (machine_.invalidation.remote_invlpgb == RemoteInvlpgb::kAtTlbsync) {
        std::vector<Selection>& pending = vcpu().pending_broadcasts;
        for (const Selection& selection : plan.selections) {
            if (std::find(pending.begin(), pending.end(), selection) != pending.end()) continue;
            if (pending.size() == kMostPending) {
                throw OperationError("invlpgb: more than 4096 broadcasts wait for a tlbsync");
            }
            pending.push_back(selection);
        }
    } else {
        drop_on_others(plan.selections);
    }
}

void System::drop_on_others(const std::vector<Selection>& selections) {
    for (std::size_t cpu = 0; cpu < state_.vcpus.size(); ++cpu) {
        if (cpu == state_.current_cpu) continue;
        for (const Selection& selection : selections) {
            state_.vcpus[cpu].mmu.drop(selection, outcome_);
        }
    }
}

void System::tlbsync() {
    if (!amd() || !machine_.features.invlpgb) return refuse(FaultKind::kInvalidOpcode);
    drop_on_others(vcpu().pending_broadcasts);
    vcpu().pending_broadcasts.clear();
}

}  // namespace nestwalk
