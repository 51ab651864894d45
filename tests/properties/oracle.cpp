#include "tests/properties/oracle.h"
#include "tests/properties/universe.h"

#include <stdexcept>

namespace nestwalk::test {

Oracle::Oracle(const Setting& setting, const SystemState& state)
    : setting_(setting), state_(state) {
    for (const Software& software : state.software) {
        Context context{.name = software.name,
                        .spaces = {},
                        .vpid = software.vpid.value(),
                        .asid = software.asid.value(),
                        .host_table = software.host_table,
                        .levels = software.levels};
        for (const nestwalk::Space& space : software.spaces) {
            context.spaces.push_back({space.name, space.pcid.value()});
        }
        contexts_.push_back(std::move(context));
    }
    for (const HostTable& table : state.host_tables) host_table_names_.push_back(table.name);
    for (const Vcpu& vcpu : state.vcpus) {
        Cpu cpu{.running = vcpu.running, .last_vm = vcpu.last_vm, .registers = {}, .cached = {}};
        for (const nestwalk::Registers& one : vcpu.registers) {
            Registers registers{.flags = one.flags, .space = one.space, .tables = one.tables};
            if (one.pcid) registers.pcid = one.pcid->value();
            cpu.registers.push_back(registers);
        }
        cpus_.push_back(std::move(cpu));
    }
}

std::uint16_t Oracle::current_context() const {
    if (!in_guest()) return 0;
    if (amd()) return context().asid;
    return setting_.system.vpid ? context().vpid : std::uint16_t{0};
}

/// CR3[11:0].
std::uint16_t Oracle::loaded_pcid() const {
    return registers().pcid.value_or(context().spaces[registers().space].pcid);
}

std::uint16_t Oracle::current_pcid() const {
    return flag(ControlFlag::kPcide) ? loaded_pcid() : std::uint16_t{0};
}

bool Oracle::canonical(std::uint64_t va) const {
    const std::uint64_t upper = va >> (levels() == 5 ? 56 : 47);
    return upper == 0 || upper == (~std::uint64_t{0} >> (levels() == 5 ? 56 : 47));
}

std::size_t Oracle::find_space(const Context& owner, const std::string& name) const {
    for (std::size_t i = 0; i < owner.spaces.size(); ++i) {
        if (owner.spaces[i].name == name) return i;
    }
    throw std::logic_error("the oracle knows no space " + name);
}

std::size_t Oracle::find_context(const std::string& name) const {
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
        if (contexts_[i].name == name) return i;
    }
    throw std::logic_error("the oracle knows no virtual machine " + name);
}

std::size_t Oracle::find_host_table(const std::string& name) const {
    for (std::size_t i = 0; i < host_table_names_.size(); ++i) {
        if (host_table_names_[i] == name) return i;
    }
    throw std::logic_error("the oracle knows no host table " + name);
}

std::size_t Oracle::hosted() const { return in_guest() ? cpu().running : cpu().last_vm; }

TableView Oracle::tables_named(const std::optional<std::string>& space) const {
    const std::size_t index = space ? find_space(context(), *space) : registers().space;
    const Software& software = state_.software[cpu().running];
    return {&software.memory, software.spaces[index].root, levels(), false};
}

TableView Oracle::host_tables() const {
    const HostTable& table = state_.host_tables[contexts_[hosted()].host_table];
    return {&state_.software[0].memory, table.root, setting_.system.host.levels, !amd()};
}

Mode Oracle::mode() const {
    Mode now{.amd = amd(),
             .paging = flag(ControlFlag::kPg),
             .nested = in_guest() && setting_.system.paging == Paging::kNested,
             .combined_target = setting_.machine.combined_target,
             .flags = registers().flags};
    now.tags = {.combined = now.nested,
                .context = current_context(),
                .pcid = current_pcid(),
                .host_table = 0};
    const nestwalk::Space& space = state_.software[cpu().running].spaces[registers().space];
    const bool user = registers().tables == Tables::kUser;
    if (shadowed()) {
        const std::uint64_t root = user ? space.user_shadow_root : space.shadow_root;
        now.linear = {&state_.software[0].memory, root, levels(), false};
    } else {
        const std::uint64_t root = user ? space.user_root : space.root;
        now.linear = {&state_.software[cpu().running].memory, root, levels(), false};
    }
    if (!now.nested) return now;
    const std::size_t host_table = context().host_table;
    now.host = host_tables();
    now.host_accessed_dirty = amd() || state_.host_tables[host_table].accessed_dirty;
    now.host_tag = amd() ? context().asid : static_cast<std::uint16_t>(host_table + 1);
    if (!amd()) now.tags.host_table = now.host_tag;
    return now;
}

// --- Which operations make sense ----------------------------------------------------------------

bool Oracle::sensible(const Operation& operation) const {
    return std::visit([this](const auto& op) { return makes_sense(op); }, operation);
}

namespace {

bool owns(const auto& spaces, const std::string& name) {
    for (const auto& space : spaces) {
        if (space.name == name) return true;
    }
    return false;
}

}  // namespace

bool Oracle::makes_sense(const MovCr3& op) const {
    return !op.space || owns(context().spaces, *op.space);
}
/// Without paging, linear addresses have 32 bits.
bool Oracle::makes_sense(const Access& op) const {
    return flag(ControlFlag::kPg) || op.va.value() < kGuestMemory - page_bytes(PageSize::k4K);
}
/// Paging is switched off in unrestricted guests only.
bool Oracle::makes_sense(const MovCr0& op) const {
    return !op.write.clear.test(ControlFlag::kPg) ||
           (in_guest() && setting_.system.paging == Paging::kNested);
}
/// No task switches in IA-32e mode, which PCIDs need.
bool Oracle::makes_sense(const TaskSwitch& op) const {
    return owns(context().spaces, op.space) && !flag(ControlFlag::kPcide);
}
bool Oracle::makes_sense(const VmcbCr3& op) const {
    return amd() && !in_guest() && setting_.virtualized() &&
           owns(contexts_[hosted()].spaces, op.space);
}
bool Oracle::makes_sense(const Invvpid&) const {
    return !amd() && !in_guest() && setting_.virtualized();
}
bool Oracle::makes_sense(const Invept&) const {
    return !amd() && !in_guest() && setting_.system.paging == Paging::kNested;
}
bool Oracle::makes_sense(const Invlpga&) const { return amd() && !in_guest(); }
bool Oracle::makes_sense(const VmEntry& op) const {
    return !in_guest() && setting_.virtualized() &&
           (amd() || op.tlb_control == TlbControl::kNothing);
}
bool Oracle::makes_sense(const VmExit&) const { return in_guest(); }
bool Oracle::makes_sense(const Vmfunc&) const {
    return !amd() && in_guest() && setting_.system.paging == Paging::kNested;
}

/// True if the path of `address` ends in a leaf of at least `least_level`.
bool Oracle::edit_makes_sense(const TableView& table, std::uint64_t address,
                              int least_level) const {
    const PathEnd end = path_to(table, address, 1);
    return end.entry.present() && end.entry.leaf() && end.entry.level >= least_level;
}

/// Not below an entry that was made malformed by a PS bit where no page can be.
bool Oracle::makes_sense(const Map& op) const {
    if (!canonical(op.va.value())) return false;
    if (op.space && !owns(context().spaces, *op.space)) return false;
    const EntryBits end = path_to(tables_named(op.space), op.va.value(), 1).entry;
    return end.level < 4 || !end.bit(7);
}
bool Oracle::makes_sense(const Unmap& op) const {
    return canonical(op.va.value()) && (!op.space || owns(context().spaces, *op.space)) &&
           edit_makes_sense(tables_named(op.space), op.va.value(), 1);
}
bool Oracle::makes_sense(const Protect& op) const {
    return canonical(op.va.value()) && (!op.space || owns(context().spaces, *op.space)) &&
           edit_makes_sense(tables_named(op.space), op.va.value(), 1);
}
bool Oracle::makes_sense(const Collapse& op) const {
    if (!canonical(op.va.value())) return false;
    if (op.space && !owns(context().spaces, *op.space)) return false;
    const PathEnd end = path_to(tables_named(op.space), op.va.value(), 1);
    return end.entry.present() && end.entry.leaf() && end.entry.level == 1;
}
bool Oracle::makes_sense(const Split& op) const {
    return canonical(op.va.value()) && (!op.space || owns(context().spaces, *op.space)) &&
           edit_makes_sense(tables_named(op.space), op.va.value(), 2);
}
/// Not where it would make a paging structure of the memory at 0, which several entries would then
/// share.
bool Oracle::makes_sense(const SetEntry& op) const {
    if (!canonical(op.va.value())) return false;
    if (op.space && !owns(context().spaces, *op.space)) return false;
    const PathEnd end = path_to(tables_named(op.space), op.va.value(), op.edit.level);
    return end.entry.level == op.edit.level && end.entry.raw != 0 &&
           (op.edit.level == 1 || end.entry.target() != 0);
}
/// Not where it would leave parts of an unmapped larger page that nothing has mapped.
bool Oracle::makes_sense(const HostMap& op) const {
    if (setting_.system.paging != Paging::kNested) return false;
    const int level = leaf_level(op.size);
    const PathEnd end = path_to(host_tables(), op.gpa.value(), level);
    return end.entry.level == level || end.entry.present();
}
bool Oracle::makes_sense(const HostUnmap& op) const {
    return setting_.system.paging == Paging::kNested &&
           edit_makes_sense(host_tables(), op.gpa.value(), 1);
}
bool Oracle::makes_sense(const HostSplit& op) const {
    return setting_.system.paging == Paging::kNested &&
           edit_makes_sense(host_tables(), op.gpa.value(), 2);
}
bool Oracle::makes_sense(const HostCollapse& op) const {
    if (setting_.system.paging != Paging::kNested) return false;
    const PathEnd end = path_to(host_tables(), op.gpa.value(), 1);
    return end.entry.present() && end.entry.leaf() && end.entry.level == 1;
}
bool Oracle::makes_sense(const HostProtect& op) const {
    return setting_.system.paging == Paging::kNested &&
           edit_makes_sense(host_tables(), op.gpa.value(), 1);
}
bool Oracle::makes_sense(const HostSetEntry& op) const {
    if (setting_.system.paging != Paging::kNested) return false;
    const PathEnd end = path_to(host_tables(), op.gpa.value(), op.edit.level);
    return end.entry.level == op.edit.level && end.entry.target() != 0;
}

}  // namespace nestwalk::test
