#pragma once

// A whole simulated system: vCPUs with their translation hardware, the host, virtual machines, and
// the page tables of all of them. Records go in one at a time, outcomes come out; there is no
// clock.

#include "models/exit_reason.h"
#include "models/first_touch.h"
#include "models/hypervisor_policy.h"
#include "models/invalidation.h"
#include "models/machine.h"
#include "models/operation.h"
#include "models/os_policy.h"
#include "models/outcome.h"
#include "models/regime.h"
#include "models/system_parameters.h"
#include "models/system_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nestwalk {

/// Hears of everything that happened, in program order. Outcomes are valid during the call only.
class OutcomeObserver {
public:
    OutcomeObserver() = default;
    OutcomeObserver(const OutcomeObserver&) = delete;
    OutcomeObserver& operator=(const OutcomeObserver&) = delete;
    virtual ~OutcomeObserver() = default;

    /// One translation of an access; an access is one translation a page it touches.
    virtual void on_translation(const Access& access, VirtAddr va, const Outcome& outcome) = 0;
    /// One operation that is not an access.
    virtual void on_operation(const Operation& operation, const Outcome& outcome) = 0;
};

class System {
public:
    System(const MachineParameters& machine, const SystemParameters& parameters);

    System(const System&) = delete;
    System& operator=(const System&) = delete;

    /// Executes one record. Throws OperationError where it makes no sense as things stand.
    void execute(const Operation& operation, OutcomeObserver& observer);

    /// The part of an access that comes before it under an operating system: the way into the
    /// kernel or out of it. `execute` begins with it; done before, it finds nothing to do.
    void begin_access(const Access& access, OutcomeObserver& observer);

    SystemState& state() { return state_; }
    const Mmu& mmu() const { return state_.vcpus[state_.current_cpu].mmu; }
    /// True if some array of the machine picks its victims at random.
    bool replaces_at_random() const;
    bool runs_guest() const { return state_.vcpus[state_.current_cpu].running != 0; }
    std::size_t current_vcpu() const { return state_.current_cpu; }
    /// Of a shootdown that was sent as a record of its own: the vCPUs that have yet to take its
    /// interrupt.
    std::vector<std::size_t> interrupted_by(std::size_t sender) const;
    /// Whether `target` is one of them.
    bool has_interrupt(std::size_t target, std::size_t sender) const;

    /// Tables, tags and flags of the current vCPU.
    const Regime& regime() const { return regime_; }

    // system_bulk.cpp: for engines that translate many accesses of the current vCPU at a time.
    /// What a translation uses and changes.
    struct Processor {
        Mmu& mmu;
        DataCaches& caches;
        SharedCache& shared_cache;
        const Regime& regime;
        PageSupplier& supplier;
    };
    Processor processor();
    /// True if an access of that privilege goes to the processor as it stands, and nothing else
    /// happens at its beginning.
    bool goes_straight(Privilege privilege);
    /// True if first touches are mirrored into shadow tables.
    bool mirrors() { return in_guest() && !regime_.nested && !keeps_shadows(); }
    const SystemParameters& parameters() const { return parameters_; }

private:
    struct Executor;

    Vcpu& vcpu() { return state_.vcpus[state_.current_cpu]; }
    Software& running() { return state_.software[vcpu().running]; }
    Registers& registers() { return vcpu().registers[vcpu().running]; }
    Space& current_space() { return running().spaces[registers().space]; }
    bool in_guest() { return vcpu().running != 0; }
    bool amd() const { return machine_.vendor == Vendor::kAmd; }

    // system_execute.cpp: a record goes from the operating system's policy (execute) to the
    // hypervisor's (issue) to the processor (perform); each may make several operations of one.
    void issue(const Operation& operation, OutcomeObserver& observer);
    void perform(const Operation& operation, OutcomeObserver& observer);

    // system_os.cpp, system_shootdown.cpp: what the operating system's policy makes of a record.
    bool under_os() { return running().runs_os; }
    OsPlace os_place() { return {state_, vcpu().running, state_.current_cpu}; }
    void follow_policy(const Operation& operation, OutcomeObserver& observer);
    /// What the policy decides is executed.
    template <typename Decide>
    void follow(Decide decide, OutcomeObserver& observer) {
        program_.clear();
        decide(os_place(), program_);
        for (const Operation& operation : program_) issue(operation, observer);
    }
    void cross(Privilege to, OutcomeObserver& observer);
    void switch_space(const SwitchSpace& record, OutcomeObserver& observer);
    void flush_range(const FlushRange& record, OutcomeObserver& observer);
    void shoot_down(const Shootdown& record, OutcomeObserver& observer);
    void send_shootdown(const Shootdown& record, OutcomeObserver& observer);
    void end_sent_shootdown(const Shootdown& record, OutcomeObserver& observer);
    FlushRequest ask_for_shootdown(const Shootdown& record, OutcomeObserver& observer);
    std::vector<std::uint32_t> targets(const FlushRequest& request, const Shootdown& record);
    void receive_shootdown(const FlushRequest& request, OutcomeObserver& observer);
    void end_shootdown(const FlushRequest& request, OutcomeObserver& observer);
    FlushRequest take_received(const FlushRange& record);
    void postpone_received();
    void require_others(const Shootdown& record) const;
    void take_pending(OutcomeObserver& observer);
    void select_cpu(std::size_t cpu);

    // system.cpp
    void access(const Access& access, OutcomeObserver& observer);
    /// What one translation of an access covers.
    struct Part {
        VirtAddr va{};
        std::uint64_t bytes{};
        bool second_page{};
    };
    enum class Translated : std::uint8_t { kDone, kGivenUp, kAnswered };
    /// One try of one access. `answered`: the fault of the try before, which a hypervisor answered.
    Translated attempt(const Access& access, VirtAddr va, std::optional<Fault>& answered,
                       OutcomeObserver& observer);
    Translated translate(const Access& access, Part part, std::optional<Fault>& answered,
                         OutcomeObserver& observer);
    /// What the walk, and the access itself, find in the data caches.
    void use_caches(AccessKind kind, Part part);
    void answer_exit();
    /// Performs a flush that the record did not ask for by itself.
    void flush(const FlushPlan& plan);
    void flush_as_asked(const FlushPlan& plan);
    /// The record faults and does nothing.
    void refuse(FaultKind kind, VirtAddr va = VirtAddr{});
    void empty_caches();
    /// Makes the regime anew from the current vCPU's registers.
    void enter_regime();
    /// Cached translations may have become stale.
    void tables_changed() {
        ++generation_;
        regime_.generation = generation_;
    }

    // system_locks.cpp
    void lock(const Lock& record);
    void unlock(const Unlock& record);

    // system_intercept.cpp
    struct Interceptor;
    /// Which shadow tables follow the guest's again.
    enum class ShadowSync : std::uint8_t { kNothing, kAddress, kRoot, kAllRoots };
    /// A VM exit, what the hypervisor does before the VM entry, and what the guest then finds.
    struct GuestExit {
        ExitReason reason{};
        HypervisorFlush flush{};
        VirtAddr va{};
        FaultKind injected{};  ///< into the guest, instead of all that
        Registers after{};     ///< the guest's, with what the hypervisor emulated
        ShadowSync sync{};
        std::optional<Pcid> pcid{};  ///< kAddress: of roots with this PCID alone
        bool drops_shadows{};        ///< what they were made under no longer holds
    };
    HypervisorFlush shadow_invlpg(VirtAddr va);
    LoadedRoot root_in(std::size_t software, const Registers& registers) const;
    HypervisorFlush switch_root(Registers& after, const MovCr3& record);
    bool guest_has_pcids();

    // system_hypervisor.cpp
    void exit_and_enter(const GuestExit& exit, OutcomeObserver& observer);
    TlbControl flush_guest(HypervisorFlush flush, VirtAddr va, OutcomeObserver& observer);
    TlbControl take_new_tag(OutcomeObserver& observer);
    /// The access ended in a fault: the hypervisor answers it, or it is given up.
    Translated end_in_fault(const Access& access, VirtAddr va, std::optional<Fault>& answered,
                            OutcomeObserver& observer);
    void restore_host_page(GuestPhysAddr gpa);
    [[noreturn]] static void refuse_to_repeat(AccessKind kind, const Fault& fault);

    // system_shadow.cpp
    bool keeps_shadows() const;
    Translated answer_page_fault(const Access& access, VirtAddr va, std::optional<Fault>& answered,
                                 OutcomeObserver& observer);
    /// What a nested walk of the guest's own tables would use.
    Regime guest_regime();
    std::optional<Fault> fill_shadow(const WalkRequest& access);
    void trap_table_writes(OutcomeObserver& observer);
    /// All that guests can have cached on a vCPU.
    std::vector<Selection> guest_contexts(std::size_t cpu) const;
    void drop_guests_on_others();
    void drop_shadows();
    static SpaceTables loaded_tables(const Registers& registers);
    void synchronise(const GuestExit& exit, std::size_t vm, Regime composed);

    // system_setup.cpp
    std::size_t add_software(const std::string& name, int levels);
    std::size_t add_virtual_machine(const DeclareVm& declaration);
    std::size_t add_host_table(const std::string& name, bool accessed_dirty);
    std::size_t add_space(std::size_t software, const std::string& name, Pcid pcid);
    void start_os(std::size_t software);
    void add_user_tables(std::size_t software, Space& space);
    Registers initial_registers() const;
    std::size_t find_space(const Software& owner, const std::string& name);
    std::size_t find_host_table(const std::string& name);
    std::size_t virtual_machine();
    Software& hosted() { return state_.software[virtual_machine()]; }

    // system_tables.cpp
    PageTable tables_of(std::size_t space);
    PageTable tables_named(const std::optional<std::string>& space);
    PageTable host_tables();
    void require_mappable(VirtAddr va);
    void require_mappable(GuestPhysAddr gpa);
    static void require_frame(std::uint64_t address);
    void share(VirtAddr va, const std::optional<std::string>& space);
    void touch(VirtAddr va, const std::optional<std::string>& space);
    void map(const Map& record);
    void protect(const Protect& record);
    void collapse(const Collapse& record);
    void split(const Split& record);
    void set_entry(const SetEntry& record);
    void host_map(const HostMap& record);
    void host_change(GuestPhysAddr gpa, void (PageTable::*change)(std::uint64_t));
    void host_protect(const HostProtect& record);
    void host_set_entry(const HostSetEntry& record);

    // system_registers.cpp
    Pcid loaded_pcid();
    void flush_fractured(const Regime& named);
    void flush_smashed();
    void invlpg(const Invlpg& record);
    void invpcid(const Invpcid& record);
    /// What the instruction faults with instead of taking effect; kNone if it does not.
    FaultKind fault_of(const MovCr3& record);
    FaultKind fault_of(const MovCr4& record);
    FaultKind fault_of(const MovCr0& record);
    FaultKind fault_of(const WrmsrEfer& record);
    FaultKind fault_of(const Invpcid& record);
    void load_space(std::size_t space);
    LoadedSpace loaded_by(const MovCr3& record);
    Registers with_cr3(const MovCr3& record);
    void mov_cr3(const MovCr3& record);
    void mov_cr4(const MovCr4& record);
    void toggle_pge();
    void mov_cr0(const MovCr0& record);
    void write_efer(const WrmsrEfer& record);
    void task_switch(const TaskSwitch& record);
    void enter_or_leave_smm();
    void declare_space(const DeclareSpace& record);

    // system_virtualization.cpp
    void declare_vm(const DeclareVm& record);
    void declare_eptp(const DeclareEptp& record);
    std::uint16_t tag_of(std::size_t software, std::size_t cpu) const;
    std::uint16_t tag_of(std::size_t software) const {
        return tag_of(software, state_.current_cpu);
    }
    void vm_entry(const VmEntry& record);
    void vm_exit();
    void vmfunc(const Vmfunc& record);
    void vmcb_cr3(const VmcbCr3& record);
    bool in_vmx_root();
    bool in_svm_host();
    void invvpid(const Invvpid& record);
    void invept(const Invept& record);
    void invlpga(const Invlpga& record);
    void invlpgb(const Invlpgb& record);
    void tlbsync();
    void drop_on_others(const std::vector<Selection>& selections);

    MachineParameters machine_;
    bool has_caches_;
    SystemParameters parameters_;
    SystemState state_{};
    Regime regime_{};
    FirstTouch first_touch_;
    OsPolicy os_;
    OsProgram program_{};
    const HypervisorColumn* hypervisor_{};  ///< null: nothing exits by policy
    Outcome outcome_{};
    std::vector<std::uint64_t> guest_writes_{};  ///< entries of page tables that the record wrote
    std::uint64_t generation_{1};
};

}  // namespace nestwalk
