#include "tests/fuzz/replay_settings.h"
#include "tests/models/machines.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwalk::fuzz {
namespace {

using test::held;

StructureParameters small(std::string name, std::uint32_t entries, std::uint32_t ways,
                          ReplacementPolicy replacement, std::vector<Holding> holds) {
    return {.name = std::move(name),
            .entries = entries,
            .ways = ways,
            .replacement = replacement,
            .holds = std::move(holds)};
}

std::vector<Holding> pages(const std::vector<int>& levels) {
    return held(MappingClass::kTranslation, levels);
}

// Arrays apart, each replaced in another way, and page fracturing.
MachineParameters small_intel() {
    using enum ReplacementPolicy;
    MachineParameters machine{.name = "small-intel", .vendor = Vendor::kIntel};
    machine.l1_dtlb = {small("dtlb_4k", 4, 2, kTrueLru, pages({1})),
                       small("dtlb_large", 2, 0, kNru, pages({2, 3}))};
    machine.l1_itlb = {small("itlb", 4, 0, kSrrip, pages({1, 2}))};
    machine.stlb = {small("stlb", 8, 4, kTreePlru, pages({1, 2}))};
    machine.stlb[0].index = IndexHash::kXorFold;
    machine.paging_structure_caches = {
        small("pde", 4, 0, kTrueLru, held(MappingClass::kPagingStructure, {2})),
        small("upper", 4, 2, kTreePlru, held(MappingClass::kPagingStructure, {3, 4, 5}))};
    machine.nested_tlb = {
        small("nested_tlb", 4, 0, kNru, held(MappingClass::kNestedTranslation, {1, 2, 3}))};
    machine.nested_paging_structure_caches = {
        small("nested_psc", 2, 0, kSrrip, held(MappingClass::kNestedPagingStructure, {2, 3, 4}))};
    machine.fracture = {
        .full_flush = true, .model = FractureModel::kSticky, .globals = true, .invpcid = true};
    return machine;
}

// One array for everything, coalescing, smashed 1-GiB pages, few PCIDs kept.
MachineParameters small_amd() {
    using enum ReplacementPolicy;
    MachineParameters machine{.name = "small-amd", .vendor = Vendor::kAmd};
    machine.l1_dtlb = {small("dtlb", 4, 0, kTrueLru, pages({1, 2, 3}))};
    machine.l1_itlb = {small("itlb", 4, 4, kTreePlru, pages({1, 2, 3}))};
    machine.stlb = {small("stlb", 16, 8, kTrueLru, pages({1, 2}))};
    machine.stlb[0].pcids_kept = 1;
    for (const MappingClass shared :
         {MappingClass::kPagingStructure, MappingClass::kNestedTranslation})
        for (const Holding& holding : held(shared, {2})) machine.stlb[0].holds.push_back(holding);
    machine.stlb[0].holds.push_back(
        {.mapping_class = MappingClass::kNestedTranslation, .level = 1, .ways = {0, 4}});
    machine.paging_structure_caches = {
        small("pdc", 4, 0, kTrueLru, held(MappingClass::kPagingStructure, {3, 4}))};
    machine.combined_target = CombinedTarget::kGuestPhysical;
    machine.smash_1g = {.enabled = true, .full_flush = true};
    machine.coalescing = Coalescing::kFourPages;
    machine.invalidation.amd_invlpg = StructureReach::kPath;
    machine.invalidation.tlb_control_7_nested = true;
    machine.invalidation.remote_invlpgb = RemoteInvlpgb::kAtTlbsync;
    return machine;
}

bool bit(std::uint8_t choice, int number) { return ((choice >> number) & 1) != 0; }

bool is_amd(const Choices& choices) { return bit(choices[0], 2); }

/// One that makes sense on the machine and the paging.
Hypervisor hypervisor_of(const Choices& choices, const SystemParameters& system) {
    const bool xen = bit(choices[4], 1);
    if (!bit(choices[4], 0) || system.paging == Paging::kNative) return Hypervisor::kNone;
    if (system.paging == Paging::kNested) {
        if (xen) return Hypervisor::kXenHap;
        return is_amd(choices) ? Hypervisor::kKvmNpt : Hypervisor::kKvmEpt;
    }
    return xen && !system.pcid ? Hypervisor::kXenShadow : Hypervisor::kKvmShadow;
}

PageSize page_size(int choice) {
    return choice == 1 ? PageSize::k2M : choice == 2 ? PageSize::k1G : PageSize::k4K;
}

OsParameters os_of(const Choices& choices) {
    constexpr std::array kKinds{OsKind::kNone, OsKind::kLinux, OsKind::kFreeBsd, OsKind::kNone};
    OsParameters os{.kind = kKinds[(choices[2] >> 4) & 3]};
    os.pti = bit(choices[2], 6);
    os.flush_ceiling = bit(choices[2], 7) ? 2 : 33;
    os.dynamic_pcids = bit(choices[3], 5) ? 1 : 6;
    os.lazy_tlb = !bit(choices[3], 6);
    os.invlpgb = bit(choices[3], 7) && bit(choices[0], 5);
    return os;
}

}  // namespace

MachineParameters machine_of(const Choices& choices) {
    MachineParameters machine = [&] {
        switch ((choices[0] >> 2) & 3) {
            case 0:
                return small_intel();
            case 1:
                return small_amd();
            case 2:
                return test::fracturing_machine();
            default:
                return test::exact_amd_machine();
        }
    }();
    if (bit(choices[0], 7)) machine.stlb[0].replacement = ReplacementPolicy::kRandom;
    if (bit(choices[3], 0)) machine.fracture.model = FractureModel::kExact;
    if (bit(choices[3], 1)) machine.coalescing = Coalescing::kFourPages;
    if (bit(choices[3], 2)) machine.smash_1g = {.enabled = true, .full_flush = true};
    if (bit(choices[3], 3)) machine.l1_dtlb[0].pcids_kept = 0;
    if (bit(choices[3], 4)) machine.features.invpcid = false;
    return machine;
}

SystemParameters system_of(const Choices& choices) {
    constexpr std::array kPagings{Paging::kNative, Paging::kNested, Paging::kShadow,
                                  Paging::kNested};
    SystemParameters system{.paging = kPagings[choices[0] & 3]};
    system.guest.levels = bit(choices[0], 4) ? 5 : 4;
    system.pcid = bit(choices[0], 5);
    system.vcpus = bit(choices[0], 6) ? 2 : 1;
    system.guest.page_size = page_size(choices[1] & 3);
    system.host.page_size = page_size((choices[1] >> 2) & 3);
    if (bit(choices[1], 4)) system.demand = Demand::kFault;
    system.accessed_dirty_preset = !bit(choices[1], 5);
    system.vpid = !bit(choices[1], 6);
    system.host.accessed_dirty = bit(choices[1], 7);
    system.guest.global = bit(choices[2], 0);
    system.host.levels = bit(choices[2], 1) ? 5 : 4;
    if (bit(choices[2], 2)) system.host.holes = {{.at = 0}, {.at = page_bytes(PageSize::k1G)}};
    if (bit(choices[2], 3)) {
        system.guest.regions = {{.at = page_bytes(PageSize::k1G),
                                 .bytes = page_bytes(PageSize::k1G),
                                 .page_size = PageSize::k2M}};
    }
    system.hypervisor = {.kind = hypervisor_of(choices, system), .tags = 4};
    if (bit(choices[4], 2)) system.hypervisor.shadow_invlpg = ShadowInvlpg::kSingleContext;
    if (system.guest.levels == 5) system.initial_cr4.set.set(ControlFlag::kLa57);
    system.os = os_of(choices);
    return system;
}

}  // namespace nestwalk::fuzz
