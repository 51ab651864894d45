// How a system comes to be: the state in which a trace starts, and what records declare.

#include "models/operation_error.h"
#include "models/shared_tables.h"
#include "models/system.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr std::uint16_t kMostTags = 0xffff;
/// Of an operating system's own threads: Linux's init_mm, FreeBSD's proc0.
constexpr const char* kKernelSpace = "kernel";

}  // namespace

System::System(const MachineParameters& machine, const SystemParameters& parameters)
    : machine_(machine),
      has_caches_(!(machine.caches == CacheHierarchyParameters{})),
      parameters_(parameters),
      state_{.shared_cache = {DataCache(machine.caches.l3), parameters.cache_start}},
      first_touch_(parameters, machine.vendor),
      os_(parameters.os, machine.features),
      hypervisor_(hypervisor_column(parameters.hypervisor, machine.vendor)) {
    for (std::uint32_t cpu = 0; cpu < parameters.vcpus; ++cpu) {
        state_.vcpus.push_back({.mmu = Mmu(machine), .caches = DataCaches(machine.caches)});
    }
    const bool native = parameters.paging == Paging::kNative;
    add_software("host", native ? parameters.guest.levels : 4);
    add_space(0, native ? "s0" : "host", Pcid(0));
    if (native) {
        start_os(0);
    } else {
        add_host_table("e0", parameters.host.accessed_dirty);
        add_virtual_machine({.name = "vm0", .vpid = Vpid(1), .eptp = "e0", .asid = Asid(1)});
        for (Vcpu& cpu : state_.vcpus) cpu.running = cpu.last_vm = 1;
    }
    enter_regime();
}

Registers System::initial_registers() const {
    Registers registers;
    for (const ControlFlag flag :
         {ControlFlag::kPg, ControlFlag::kWp, ControlFlag::kNxe, ControlFlag::kPge}) {
        registers.flags.set(flag);
    }
    if (parameters_.pcid) registers.flags.set(ControlFlag::kPcide);
    if (parameters_.guest.levels == 5) registers.flags.set(ControlFlag::kLa57);
    registers.flags = written(registers.flags, parameters_.initial_cr4);
    return registers;
}

std::size_t System::add_software(const std::string& name, int levels) {
    state_.software.push_back({.name = name, .levels = levels});
    for (Vcpu& cpu : state_.vcpus) cpu.registers.push_back(initial_registers());
    return state_.software.size() - 1;
}

std::size_t System::add_space(std::size_t software, const std::string& name, Pcid pcid) {
    Software& owner = state_.software[software];
    Space space{
        .name = name, .pcid = pcid, .root = PageTable::new_root(owner.memory, owner.frames)};
    if (software != 0 && parameters_.paging == Paging::kShadow) {
        Software& host = state_.software[0];
        space.shadow_root = PageTable::new_root(host.memory, host.frames);
    }
    if (owner.runs_os) {
        if (os_.parameters().pti) add_user_tables(software, space);
        share_kernel_half(owner, space);
    }
    owner.spaces.push_back(space);
    return owner.spaces.size() - 1;
}

std::size_t System::add_host_table(const std::string& name, bool accessed_dirty) {
    Software& host = state_.software[0];
    state_.host_tables.push_back({.name = name,
                                  .root = PageTable::new_root(host.memory, host.frames),
                                  .accessed_dirty = accessed_dirty});
    return state_.host_tables.size() - 1;
}

std::size_t System::add_virtual_machine(const DeclareVm& declaration) {
    const auto number = static_cast<std::uint16_t>(state_.software.size());
    if (state_.software.size() >= kMostTags) throw OperationError("vm: too many virtual machines");
    const std::size_t table =
        declaration.eptp ? find_host_table(*declaration.eptp)
                         : add_host_table(declaration.name, parameters_.host.accessed_dirty);
    const std::size_t index = add_software(declaration.name, parameters_.guest.levels);
    Software& software = state_.software[index];
    software.vpid = declaration.vpid.value_or(Vpid(number));
    software.asid = declaration.asid.value_or(Asid(number));
    software.host_table = table;
    add_space(index, "s0", Pcid(0));
    start_os(index);
    return index;
}

/// The operating system of the experiment, if it has one, runs natively or in a virtual machine
/// that has its first space.
void System::start_os(std::size_t software) {
    if (!os_.present()) return;
    Software& os = state_.software[software];
    os.runs_os = true;
    if (os_.parameters().pti) add_user_tables(software, os.spaces.front());
    os.kernel_space = add_space(software, kKernelSpace, Pcid(0));
    for (std::size_t cpu = 0; cpu < state_.vcpus.size(); ++cpu) {
        os_.start({state_, software, cpu});
    }
}

void System::add_user_tables(std::size_t software, Space& space) {
    Software& owner = state_.software[software];
    space.user_root = PageTable::new_root(owner.memory, owner.frames);
    if (software == 0 || parameters_.paging != Paging::kShadow) return;
    Software& host = state_.software[0];
    space.user_shadow_root = PageTable::new_root(host.memory, host.frames);
}

std::size_t System::find_space(const Software& owner, const std::string& name) {
    for (std::size_t index = 0; index < owner.spaces.size(); ++index) {
        if (owner.spaces[index].name == name) return index;
    }
    throw OperationError("no space '" + name + "' in " + owner.name + "; declare it with 'space " +
                         name + "' where it is used");
}

std::size_t System::find_host_table(const std::string& name) {
    for (std::size_t index = 0; index < state_.host_tables.size(); ++index) {
        if (state_.host_tables[index].name == name) return index;
    }
    throw OperationError("no host table '" + name + "'; declare it with 'eptp " + name + "'");
}

bool System::replaces_at_random() const {
    const auto any = [](const std::vector<StructureParameters>& arrays) {
        return std::any_of(arrays.begin(), arrays.end(), [](const StructureParameters& array) {
            return array.replacement == ReplacementPolicy::kRandom && array.entries != kUnbounded;
        });
    };
    for (const CacheParameters* cache : machine_.caches.all()) {
        if (cache->bytes != 0 && cache->replacement == ReplacementPolicy::kRandom) return true;
    }
    const auto groups = machine_.array_groups();
    return std::any_of(groups.begin(), groups.end(),
                       [&](const auto* arrays) { return any(*arrays); });
}

/// The virtual machine that runs, or ran last.
std::size_t System::virtual_machine() {
    if (vcpu().last_vm == 0) {
        throw OperationError("there is no virtual machine: system.paging is native");
    }
    return vcpu().last_vm;
}

}  // namespace nestwalk
