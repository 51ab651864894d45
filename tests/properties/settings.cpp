#include "tests/properties/setting.h"
#include "tests/properties/universe.h"

namespace nestwalk::test {

namespace {

std::vector<Holding> held(MappingClass mapping_class, const std::vector<int>& levels) {
    std::vector<Holding> holds;
    for (const int level : levels)
        holds.push_back({.mapping_class = mapping_class, .level = level});
    return holds;
}

StructureParameters array(const std::string& name, MappingClass mapping_class,
                          const std::vector<int>& levels) {
    return {.name = name, .entries = kUnbounded, .holds = held(mapping_class, levels)};
}

/// The `exact` machine of either vendor.
MachineParameters exact_machine(Vendor vendor) {
    MachineParameters machine{.name = "exact", .vendor = vendor};
    machine.l1_dtlb = {array("dtlb", MappingClass::kTranslation, {1, 2, 3})};
    machine.l1_itlb = {array("itlb", MappingClass::kTranslation, {1, 2, 3})};
    machine.stlb = {array("stlb", MappingClass::kTranslation, {1, 2, 3})};
    machine.paging_structure_caches = {array("psc", MappingClass::kPagingStructure, {2, 3, 4, 5})};
    machine.nested_tlb = {array("nested_tlb", MappingClass::kNestedTranslation, {1, 2, 3})};
    machine.nested_paging_structure_caches = {
        array("nested_psc", MappingClass::kNestedPagingStructure, {2, 3, 4, 5})};
    return machine;
}

Setting exact(const std::string& name, Vendor vendor, Paging paging) {
    Setting setting{.name = name, .machine = exact_machine(vendor)};
    setting.system.paging = paging;
    setting.system.demand = Demand::kFault;
    setting.system.pcid = true;
    return setting;
}

void map_host_memory(std::vector<Operation>& program, std::uint64_t place, PageSize size) {
    for (std::uint64_t gpa = 0; gpa < kGuestMemory; gpa += page_bytes(PageSize::k1G)) {
        program.push_back(
            HostMap{.gpa = GuestPhysAddr(gpa), .size = PageSize::k1G, .to = PhysAddr(place + gpa)});
    }
    program.push_back(HostMap{.gpa = GuestPhysAddr(kCollapsedPages),
                              .size = PageSize::k1G,
                              .to = PhysAddr(place + kGuestMemory)});
    if (size == PageSize::k1G) return;
    program.push_back(HostSplit{GuestPhysAddr(kCollapsedPages)});
    for (std::uint64_t gpa = 0; gpa < kGuestMemory; gpa += page_bytes(PageSize::k1G)) {
        program.push_back(HostSplit{GuestPhysAddr(gpa)});
    }
    if (size == PageSize::k2M) return;
    for (const std::uint64_t gpa : {kGuestTables, kGuestPages[0], kGuestPages[2], kGuestPages[4]}) {
        program.push_back(HostSplit{GuestPhysAddr(gpa)});
    }
}

void declare_spaces(std::vector<Operation>& program) {
    for (std::size_t i = 1; i < kSpaces.size(); ++i) {
        program.push_back(DeclareSpace{kSpaces[i], Pcid(kSpacePcids[i])});
    }
}

/// Some pages in every space, so that programs find something. Operating systems map the kernel's
/// half globally unless they isolate it, and nothing else.
void map_pages(std::vector<Operation>& program, const Setting& setting) {
    std::size_t count = 0;
    for (const char* space : kSpaces) {
        for (std::size_t i = 0; i < 7; i += 2) {
            const bool of_kernel = kPages[i] >> 63 != 0;
            program.push_back(
                Map{.va = VirtAddr(kPages[i]),
                    .size = PageSize::k4K,
                    .to = kSmallFrames[count++ % kSmallFrames.size()],
                    .space = space,
                    .global = setting.has_os() ? of_kernel && !setting.system.os.pti : i == 2,
                    .user = true});
        }
    }
}

}  // namespace

std::vector<Operation> prelude(const Setting& setting) {
    std::vector<Operation> program;
    if (!setting.virtualized()) {
        declare_spaces(program);
        map_pages(program, setting);
        return program;
    }
    const bool nested = setting.system.paging == Paging::kNested;
    const PageSize size = setting.system.host.page_size;
    if (nested) map_host_memory(program, 0x100'0000'0000, size);
    declare_spaces(program);
    map_pages(program, setting);
    if (nested) program.push_back(DeclareEptp{"e1", setting.system.host.accessed_dirty});
    DeclareVm second{.name = "vm1", .vpid = Vpid(2), .asid = Asid(2)};
    if (nested) second.eptp = "e1";
    program.push_back(second);
    program.push_back(VmExit{});
    program.push_back(DeclareSpace{"h1", Pcid(1)});
    program.push_back(Map{.va = VirtAddr(kPages[0]),
                          .size = PageSize::k4K,
                          .to = kSmallFrames[0],
                          .global = true,
                          .user = true});
    program.push_back(VmEntry{.vm = "vm1"});
    if (nested) map_host_memory(program, 0x180'0000'0000, size);
    declare_spaces(program);
    map_pages(program, setting);
    program.push_back(VmExit{});
    program.push_back(VmEntry{.vm = "vm0"});
    return program;
}

const std::vector<Setting>& exact_settings() {
    static const std::vector<Setting> settings = [] {
        std::vector<Setting> all;
        const auto add = [&](const std::string& name, Vendor vendor, Paging paging) -> Setting& {
            all.push_back(exact(name, vendor, paging));
            return all.back();
        };
        add("native", Vendor::kIntel, Paging::kNative);
        add("native, no PCIDs", Vendor::kIntel, Paging::kNative).system.pcid = false;
        add("native, 5 levels", Vendor::kIntel, Paging::kNative).system.guest.levels = 5;
        add("native, A and D clear", Vendor::kIntel, Paging::kNative).system.accessed_dirty_preset =
            false;
        add("nested", Vendor::kIntel, Paging::kNested);
        add("nested, host 2M", Vendor::kIntel, Paging::kNested).system.host.page_size =
            PageSize::k2M;
        add("nested, host 1G", Vendor::kIntel, Paging::kNested).system.host.page_size =
            PageSize::k1G;
        add("nested, no VPIDs", Vendor::kIntel, Paging::kNested).system.vpid = false;
        Setting& dirty = add("nested, EPT A and D", Vendor::kIntel, Paging::kNested);
        dirty.system.host.accessed_dirty = true;
        dirty.system.accessed_dirty_preset = false;
        Setting& clear =
            add("nested, no EPT A and D, guest's clear", Vendor::kIntel, Paging::kNested);
        clear.system.accessed_dirty_preset = false;
        Setting& deep = add("nested, 5 levels on 5", Vendor::kIntel, Paging::kNested);
        deep.system.guest.levels = 5;
        deep.system.host.levels = 5;
        Setting& sticky = add("nested, sticky fracturing", Vendor::kIntel, Paging::kNested);
        sticky.machine.fracture = {.full_flush = true,
                                   .model = FractureModel::kSticky,
                                   .scope = FractureScope::kCurrentContext,
                                   .globals = true};
        Setting& scoped = add("nested, fracturing of a PCID", Vendor::kIntel, Paging::kNested);
        scoped.machine.fracture = {.full_flush = true,
                                   .model = FractureModel::kExact,
                                   .scope = FractureScope::kCurrentPcid,
                                   .globals = false};
        Setting& every = add("nested, every invalidation of an address meets fractures",
                             Vendor::kIntel, Paging::kNested);
        every.machine.fracture = {.full_flush = true,
                                  .model = FractureModel::kExact,
                                  .scope = FractureScope::kCurrentContext,
                                  .globals = true,
                                  .invpcid = true,
                                  .invvpid = true};
        add("shadow", Vendor::kIntel, Paging::kShadow);
        add("shadow, no VPIDs", Vendor::kIntel, Paging::kShadow).system.vpid = false;
        add("AMD native", Vendor::kAmd, Paging::kNative);
        add("AMD native, no PCIDs", Vendor::kAmd, Paging::kNative).system.pcid = false;
        add("AMD, two processors", Vendor::kAmd, Paging::kNested).system.vcpus = 2;
        add("AMD nested", Vendor::kAmd, Paging::kNested);
        Setting& walk_cache =
            add("AMD nested, guest-physical targets, A and D clear", Vendor::kAmd, Paging::kNested);
        walk_cache.machine.combined_target = CombinedTarget::kGuestPhysical;
        walk_cache.system.accessed_dirty_preset = false;
        add("AMD shadow", Vendor::kAmd, Paging::kShadow);
        return all;
    }();
    return settings;
}

}  // namespace nestwalk::test
