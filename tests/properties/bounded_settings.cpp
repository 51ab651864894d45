// Machines with capacities. On these only two things are asked: nothing is used that had to be
// dropped, and walks find what memory says.

#include "tests/properties/setting.h"

#include <array>

namespace nestwalk::test {

namespace {

/// Levels of pages or entries that an array holds.
struct Levels {
    std::vector<int> pages{};
    std::vector<int> structures{};
    std::vector<int> nested_pages{};
    std::vector<int> nested_structures{};
};

struct Shape {
    std::uint32_t entries{};
    std::uint32_t ways{};  ///< 0: fully associative
    ReplacementPolicy replacement{};
    IndexHash index{};
};

StructureParameters array(const std::string& name, const Shape& shape, const Levels& levels) {
    StructureParameters made{.name = name,
                             .entries = shape.entries,
                             .ways = shape.ways,
                             .index = shape.index,
                             .replacement = shape.replacement};
    const auto hold = [&](MappingClass mapping_class, const std::vector<int>& held) {
        for (const int level : held) {
            made.holds.push_back({.mapping_class = mapping_class, .level = level});
        }
    };
    hold(MappingClass::kTranslation, levels.pages);
    hold(MappingClass::kPagingStructure, levels.structures);
    hold(MappingClass::kNestedTranslation, levels.nested_pages);
    hold(MappingClass::kNestedPagingStructure, levels.nested_structures);
    return made;
}

/// As Haswell-EP: fracturing, no guest-physical caches.
MachineParameters haswell_like() {
    MachineParameters machine{.name = "haswell-like"};
    constexpr auto kPlru = ReplacementPolicy::kTreePlru;
    machine.l1_dtlb = {array("dtlb_4k", {64, 4, kPlru}, {.pages = {1}}),
                       array("dtlb_2m", {32, 4, kPlru}, {.pages = {2}}),
                       array("dtlb_1g", {4, 4, kPlru}, {.pages = {3}})};
    machine.l1_itlb = {array("itlb_4k", {64, 8, kPlru}, {.pages = {1}}),
                       array("itlb_2m", {8, 8, kPlru}, {.pages = {2}})};
    machine.stlb = {array("stlb", {1024, 8, kPlru}, {.pages = {1, 2}})};
    machine.paging_structure_caches = {array("pdpte", {4, 4, kPlru}, {.structures = {3}}),
                                       array("pde", {32, 4, kPlru}, {.structures = {2}})};
    machine.fracture = {.full_flush = true,
                        .model = FractureModel::kSticky,
                        .scope = FractureScope::kCurrentContext,
                        .globals = true};
    return machine;
}

/// As Skylake: 12-way STLB, one of its own for 1-GiB pages, guest-physical caches of small size.
MachineParameters skylake_like() {
    MachineParameters machine = haswell_like();
    machine.name = "skylake-like";
    machine.stlb = {array("stlb", {1536, 12, ReplacementPolicy::kMru3Plru4, IndexHash::kXorFold},
                          {.pages = {1, 2}}),
                    array("stlb_1g", {16, 4, ReplacementPolicy::kNru}, {.pages = {3}})};
    machine.nested_tlb = {
        array("nested_tlb", {16, 4, ReplacementPolicy::kSrrip}, {.nested_pages = {1, 2}})};
    machine.nested_paging_structure_caches = {
        array("nested_psc", {8, 0, ReplacementPolicy::kTrueLru}, {.nested_structures = {2, 3, 4}})};
    machine.fracture.model = FractureModel::kExact;
    machine.fracture.scope = FractureScope::kCurrentPcid;
    machine.fracture.invpcid = true;
    machine.fracture.invvpid = true;
    return machine;
}

/// As Zen: page-directory entries and nested translations live in the STLB.
MachineParameters zen_like() {
    MachineParameters machine{.name = "zen-like", .vendor = Vendor::kAmd};
    constexpr auto kLru = ReplacementPolicy::kTrueLru;
    machine.l1_dtlb = {array("dtlb", {8, 0, kLru}, {.pages = {1, 2, 3}})};
    machine.l1_itlb = {array("itlb", {8, 0, kLru}, {.pages = {1, 2, 3}})};
    machine.stlb = {
        array("stlb", {64, 8, kLru}, {.pages = {1, 2}, .structures = {2}, .nested_pages = {1, 2}}),
        array("stlb_1g", {4, 0, kLru}, {.pages = {3}})};
    machine.stlb_instruction = {array("istlb", {16, 4, kLru}, {.pages = {1, 2}})};
    machine.paging_structure_caches = {
        array("page_directory_cache", {4, 0, kLru}, {.structures = {3, 4}})};
    machine.combined_target = CombinedTarget::kGuestPhysical;
    return machine;
}

/// Hardly anything fits: every access replaces something.
MachineParameters tiny(Vendor vendor, ReplacementPolicy replacement) {
    MachineParameters machine{.name = "tiny", .vendor = vendor};
    const std::uint32_t ways = replacement == ReplacementPolicy::kMru3Plru4 ? 12 : 2;
    const Shape small{ways, ways, replacement};
    const Shape medium{2 * ways, ways, replacement, IndexHash::kXorFold};
    machine.l1_dtlb = {array("dtlb", {1, 1, ReplacementPolicy::kTrueLru}, {.pages = {1, 2}}),
                       array("dtlb_1g", small, {.pages = {3}})};
    machine.l1_itlb = {array("itlb", small, {.pages = {1}})};
    machine.stlb = {array("stlb", medium, {.pages = {1, 2, 3}})};
    machine.paging_structure_caches = {array("psc", small, {.structures = {2, 3}}),
                                       array("psc_upper", small, {.structures = {4, 5}})};
    machine.nested_tlb = {array("nested_tlb", medium, {.nested_pages = {1, 2, 3}})};
    machine.nested_paging_structure_caches = {
        array("nested_psc", small, {.nested_structures = {2, 3, 4}})};
    return machine;
}

}  // namespace

const std::vector<Setting>& bounded_settings() {
    static const std::vector<Setting> settings = [] {
        std::vector<Setting> all;
        const auto add = [&](const std::string& name, const MachineParameters& machine,
                             Paging paging) -> SystemParameters& {
            Setting setting{.name = name, .machine = machine, .strictness = Strictness::kAllowed};
            setting.system.paging = paging;
            setting.system.demand = Demand::kFault;
            setting.system.pcid = true;
            all.push_back(setting);
            return all.back().system;
        };
        add("haswell-like, native", haswell_like(), Paging::kNative);
        add("haswell-like, nested", haswell_like(), Paging::kNested);
        add("skylake-like, nested, EPT A and D", skylake_like(), Paging::kNested)
            .host.accessed_dirty = true;
        add("skylake-like, nested, no VPIDs", skylake_like(), Paging::kNested).vpid = false;
        add("skylake-like, shadow", skylake_like(), Paging::kShadow);
        add("zen-like, native", zen_like(), Paging::kNative);
        add("zen-like, nested", zen_like(), Paging::kNested).accessed_dirty_preset = false;
        add("zen-like, shadow", zen_like(), Paging::kShadow);
        constexpr std::array kPolicies{ReplacementPolicy::kTrueLru,   ReplacementPolicy::kTreePlru,
                                       ReplacementPolicy::kMru3Plru4, ReplacementPolicy::kNru,
                                       ReplacementPolicy::kSrrip,     ReplacementPolicy::kRandom};
        for (std::size_t i = 0; i < kPolicies.size(); ++i) {
            const std::string number = std::to_string(i);
            add("tiny, policy " + number + ", native", tiny(Vendor::kIntel, kPolicies[i]),
                Paging::kNative)
                .guest.levels = i % 2 == 0 ? 4 : 5;
            add("tiny, policy " + number + ", nested", tiny(Vendor::kIntel, kPolicies[i]),
                Paging::kNested)
                .host.accessed_dirty = i % 2 == 0;
            add("tiny, policy " + number + ", AMD nested", tiny(Vendor::kAmd, kPolicies[i]),
                Paging::kNested);
        }
        return all;
    }();
    return settings;
}

}  // namespace nestwalk::test
