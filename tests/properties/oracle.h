#pragma once

// The oracle: what the architecture says about cached translations, written from the manuals' rules
// and apart from models/. It shares only the vocabulary of operations and outcomes. It keeps every
// translation that was ever cacheable and removes what each operation must remove; what is left is
// what an access may use, and on the exact machine what it must use. Page tables it reads from the
// system's memory, as hardware does; it never writes them, and predicts which A and D bits the walk
// writes.

#include "models/fault.h"
#include "models/operation.h"
#include "models/outcome.h"
#include "models/system_state.h"
#include "tests/properties/cached_sets.h"
#include "tests/properties/setting.h"
#include "tests/properties/table_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk::test {

/// What one translation must look like.
struct Expected {
    TranslationResult result{};
    FaultKind fault{};
    bool fault_present{};
    bool fault_reserved{};
    std::uint64_t fault_gpa{};
    std::uint64_t physical{};
    int page_level{};
    int whole_level{};
    int start_level{};
    bool rights_rewalk{};
    bool fault_rewalk{};
    bool dirty_assist{};
    bool stale{};               ///< a fresh walk would have given another answer
    bool ambiguous{};           ///< entries of several sizes match
    std::uint64_t filled_by{};  ///< number of the translation that filled the entry used
    std::vector<EntryRead> reads{};
    std::string complaint{};  ///< of the allowed mode: what the model used and may not use
};

/// An entry written back by a walk.
struct MemoryWrite {
    const TableMemory* memory{};
    std::uint64_t address{};
    std::uint64_t raw{};
};

/// All that a translation depends on besides the cached sets.
struct Mode {
    bool amd{};
    bool paging{true};
    bool nested{};
    bool host_accessed_dirty{};
    bool host_no_execute_enabled{true};
    CombinedTarget combined_target{};
    ControlFlags flags{};
    LinearTags tags{};
    std::uint16_t host_tag{};
    TableView linear{};
    TableView host{};
};

class Oracle {
public:
    /// Starts from the architectural state in which the system starts.
    Oracle(const Setting& setting, const SystemState& state);

    /// False for an operation that makes no sense as things stand; the program skips it.
    bool sensible(const Operation& operation) const;
    /// What the operation does to registers and cached sets; the fault that it must raise.
    FaultKind apply(const Operation& operation);
    /// What follows is of that processor, as after a record that says so.
    void select(std::size_t cpu) { cpu_ = cpu; }
    /// Predicts a translation, and caches and drops what it must. With a guide it follows what the
    /// model did and complains where that is not allowed.
    void translate(const Access& access, std::uint64_t va, const Outcome* guide,
                   Expected& expected);

    /// True if several cached entries of one size match: the architecture leaves open which is
    /// used.
    bool undecided(const Access& access, std::uint64_t va);
    /// A and D bits written by the translations predicted since forget_writes().
    const std::vector<MemoryWrite>& last_writes() const { return writes_; }
    void forget_writes() { writes_.clear(); }
    /// The hardware walks tables that the hypervisor fills on a first touch.
    bool shadowed() const { return in_guest() && setting_.system.paging == Paging::kShadow; }

    Mode mode() const;
    TableView tables_named(const std::optional<std::string>& space) const;
    TableView host_tables() const;
    const CachedSets& cached() const { return cpus_[cpu_].cached; }

private:
    friend class OracleWalk;

    struct Space {
        std::string name{};
        std::uint16_t pcid{};
    };
    struct Context {
        std::string name{};
        std::vector<Space> spaces{};
        std::uint16_t vpid{};
        std::uint16_t asid{};
        std::size_t host_table{};
        int levels{4};
    };
    struct Registers {
        ControlFlags flags{};
        std::size_t space{};
        std::optional<std::uint16_t> pcid{};  ///< in CR3, where it is not the space's own
        Tables tables{};

        /// CR3 as the space itself gives it.
        void name(std::size_t named) {
            space = named;
            pcid.reset();
            tables = Tables::kKernel;
        }
    };
    struct Cpu {
        std::size_t running{};
        std::size_t last_vm{};
        std::vector<Registers> registers{};
        CachedSets cached{};
        std::uint64_t translations{};
        bool fractured{};  ///< a fractured translation was cached since the TLB was last empty
    };

    template <typename Condition>
    void drop_pages(Condition condition) {
        remove_where(sets().pages, condition);
    }
    template <typename Condition>
    void drop_tables(Condition condition) {
        remove_where(sets().tables, condition);
    }

    Cpu& cpu() { return cpus_[cpu_]; }
    const Cpu& cpu() const { return cpus_[cpu_]; }
    CachedSets& sets() { return cpu().cached; }
    Context& context() { return contexts_[cpu().running]; }
    const Context& context() const { return contexts_[cpu().running]; }
    Registers& registers() { return cpu().registers[cpu().running]; }
    const Registers& registers() const { return cpu().registers[cpu().running]; }
    bool flag(ControlFlag flag) const { return registers().flags.test(flag); }
    bool in_guest() const { return cpu().running != 0; }
    bool amd() const { return setting_.amd(); }
    int levels() const { return context().levels; }

    std::uint16_t current_context() const;
    std::uint16_t current_pcid() const;
    std::uint16_t loaded_pcid() const;
    std::size_t find_space(const Context& owner, const std::string& name) const;
    std::size_t find_context(const std::string& name) const;
    std::size_t find_host_table(const std::string& name) const;
    std::size_t hosted() const;
    bool canonical(std::uint64_t va) const;
    bool edit_makes_sense(const TableView& table, std::uint64_t address, int least_level) const;

    // Sets of entries that operations remove.
    void drop_context(std::uint16_t context);
    void drop_everything();
    void drop_non_global(std::uint16_t context, std::uint16_t pcid);
    void drop_pcid_and_globals(std::uint16_t context, std::uint16_t pcid);
    void drop_page_and_path(std::uint64_t va);
    void drop_for_violation(std::uint64_t va, std::uint64_t gpa);
    void leave_or_enter_guest();
    void flush_fractured(std::uint16_t context, std::optional<std::uint16_t> pcid);
    bool holds_fractured() const;
    bool fracture_present() const;

    FaultKind load(const Registers& next, bool keep);
    FaultKind do_op(const Invlpg& op);
    FaultKind do_op(const MovCr3& op);
    FaultKind do_op(const MovCr4& op);
    FaultKind do_op(const TogglePge& op);
    FaultKind do_op(const MovCr0& op);
    FaultKind do_op(const WrmsrEfer& op);
    FaultKind do_op(const TaskSwitch& op);
    FaultKind do_op(const SystemManagementInterrupt& op);
    FaultKind do_op(const ResumeFromSmm& op);
    FaultKind do_op(const VmcbCr3& op);
    FaultKind do_op(const Invpcid& op);
    FaultKind do_op(const Invvpid& op);
    FaultKind do_op(const Invept& op);
    FaultKind do_op(const Invlpga& op);
    FaultKind do_op(const Invlpgb& op);
    FaultKind do_op(const Tlbsync& op);
    FaultKind do_op(const VmEntry& op);
    FaultKind do_op(const VmExit& op);
    FaultKind do_op(const Vmfunc& op);
    FaultKind do_op(const Evict& op);
    FaultKind do_op(const SelectCpu& op);
    template <typename Other>
    FaultKind do_op(const Other&) {
        return FaultKind::kNone;
    }

    bool makes_sense(const Access& op) const;
    bool makes_sense(const MovCr3& op) const;
    bool makes_sense(const MovCr0& op) const;
    bool makes_sense(const TaskSwitch& op) const;
    bool makes_sense(const VmcbCr3& op) const;
    bool makes_sense(const Invvpid& op) const;
    bool makes_sense(const Invept& op) const;
    bool makes_sense(const Invlpga& op) const;
    bool makes_sense(const VmEntry& op) const;
    bool makes_sense(const VmExit& op) const;
    bool makes_sense(const Vmfunc& op) const;
    bool makes_sense(const Map& op) const;
    bool makes_sense(const Unmap& op) const;
    bool makes_sense(const Protect& op) const;
    bool makes_sense(const Collapse& op) const;
    bool makes_sense(const Split& op) const;
    bool makes_sense(const SetEntry& op) const;
    bool makes_sense(const HostMap& op) const;
    bool makes_sense(const HostUnmap& op) const;
    bool makes_sense(const HostSplit& op) const;
    bool makes_sense(const HostCollapse& op) const;
    bool makes_sense(const HostProtect& op) const;
    bool makes_sense(const HostSetEntry& op) const;
    template <typename Other>
    bool makes_sense(const Other&) const {
        return true;
    }

    const Setting& setting_;
    const SystemState& state_;
    std::vector<Context> contexts_{};
    std::vector<std::string> host_table_names_{};
    std::vector<Cpu> cpus_{};
    std::size_t cpu_{};
    std::vector<MemoryWrite> writes_{};  ///< A and D written by the translation just predicted
};

}  // namespace nestwalk::test
