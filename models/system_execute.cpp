// One function a record: what the processor or the software on it does.

#include "models/operation_error.h"
#include "models/system.h"

namespace nestwalk {

struct System::Executor {
    System& system;

    Outcome& outcome() const { return system.outcome_; }
    void flush(const FlushPlan& plan) const { system.flush(plan); }

    // --- No effect on translations --------------------------------------------------------------

    void operator()(const Access&) const {}
    void operator()(const Compute&) const {}
    void operator()(const Fence&) const {}
    void operator()(const ReadTimeStamp&) const {}
    void operator()(const Lock& record) const { system.lock(record); }
    void operator()(const Unlock& record) const { system.unlock(record); }
    // What an operating system's policy makes of them are operations of their own.
    void operator()(const Shootdown& record) const {
        outcome().ipis = static_cast<std::uint32_t>(record.cpus.size());
    }
    void operator()(const FlushRange&) const {}
    void operator()(const SwitchSpace&) const {}
    void operator()(const SelectCpu& record) const {
        if (record.cpu >= system.state_.vcpus.size()) {
            throw OperationError("cpu " + std::to_string(record.cpu) + ": system.vcpus is " +
                                 std::to_string(system.state_.vcpus.size()));
        }
        system.select_cpu(record.cpu);
    }

    // --- Control registers ----------------------------------------------------------------------

    void operator()(const Invlpg& record) const { system.invlpg(record); }
    void operator()(const MovCr3& record) const { system.mov_cr3(record); }
    void operator()(const MovCr4& record) const { system.mov_cr4(record); }
    void operator()(const TogglePge&) const { system.toggle_pge(); }
    void operator()(const MovCr0& record) const { system.mov_cr0(record); }
    void operator()(const WrmsrEfer& record) const { system.write_efer(record); }
    void operator()(const TaskSwitch& record) const { system.task_switch(record); }
    void operator()(const SystemManagementInterrupt&) const { system.enter_or_leave_smm(); }
    void operator()(const ResumeFromSmm&) const { system.enter_or_leave_smm(); }
    void operator()(const Invpcid& record) const { system.invpcid(record); }
    void operator()(const WriteBackInvalidate&) const { system.empty_caches(); }
    void operator()(const Evict& record) const {
        system.vcpu().mmu.drop(evicted_entries(system.regime_, record.va), outcome());
    }

    // --- Virtualization -------------------------------------------------------------------------

    void operator()(const VmcbCr3& record) const { system.vmcb_cr3(record); }
    void operator()(const Invvpid& record) const { system.invvpid(record); }
    void operator()(const Invept& record) const { system.invept(record); }
    void operator()(const Invlpga& record) const { system.invlpga(record); }
    void operator()(const Invlpgb& record) const { system.invlpgb(record); }
    void operator()(const Tlbsync&) const { system.tlbsync(); }
    void operator()(const DeclareVm& record) const { system.declare_vm(record); }
    void operator()(const DeclareEptp& record) const { system.declare_eptp(record); }
    void operator()(const VmEntry& record) const { system.vm_entry(record); }
    void operator()(const VmExit&) const { system.vm_exit(); }
    void operator()(const Vmfunc& record) const { system.vmfunc(record); }

    // --- Page tables ----------------------------------------------------------------------------

    void operator()(const DeclareSpace& record) const { system.declare_space(record); }
    void operator()(const Map& record) const { changed(&System::map, record); }
    void operator()(const Unmap& record) const {
        system.require_mappable(record.va);
        system.tables_named(record.space).unmap(record.va.value());
        system.share(record.va, record.space);
        system.tables_changed();
    }
    void operator()(const Protect& record) const { changed(&System::protect, record); }
    void operator()(const Collapse& record) const { changed(&System::collapse, record); }
    void operator()(const Split& record) const { changed(&System::split, record); }
    void operator()(const SetEntry& record) const { changed(&System::set_entry, record); }
    void operator()(const HostMap& record) const { changed(&System::host_map, record); }
    void operator()(const HostUnmap& record) const { host_changed(record.gpa, &PageTable::unmap); }
    void operator()(const HostSplit& record) const { host_changed(record.gpa, &PageTable::split); }
    void operator()(const HostCollapse& record) const {
        host_changed(record.gpa, &PageTable::collapse);
    }
    void operator()(const HostProtect& record) const { changed(&System::host_protect, record); }
    void operator()(const HostSetEntry& record) const { changed(&System::host_set_entry, record); }

private:
    template <typename Record>
    void changed(void (System::*change)(const Record&), const Record& record) const {
        if constexpr (requires { record.va; }) system.require_mappable(record.va);
        if constexpr (requires { record.gpa; }) system.require_mappable(record.gpa);
        (system.*change)(record);
        if constexpr (requires { record.va; }) system.share(record.va, record.space);
        system.tables_changed();
    }
    void host_changed(GuestPhysAddr gpa, void (PageTable::*change)(std::uint64_t)) const {
        system.require_mappable(gpa);
        system.host_change(gpa, change);
        system.tables_changed();
    }
};

void System::perform(const Operation& operation, OutcomeObserver& observer) {
    if (const auto* record = std::get_if<Access>(&operation)) return access(*record, observer);
    outcome_.clear();
    std::visit(Executor{*this}, operation);
    if (!guest_writes_.empty()) trap_table_writes(observer);
    observer.on_operation(operation, outcome_);
}

}  // namespace nestwalk
