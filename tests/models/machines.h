#pragma once

// Machines that the tests of models/ run on, built in code: one with every structure and no limits,
// and ones that have only the structures a claim is about.

#include "models/machine.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwalk::test {

/// One holding for each level, all ways.
inline std::vector<Holding> held(MappingClass mapping_class, const std::vector<int>& levels) {
    std::vector<Holding> holds;
    for (const int level : levels) {
        holds.push_back({.mapping_class = mapping_class, .level = level});
    }
    return holds;
}

inline StructureParameters unbounded(std::string name, std::vector<Holding> holds) {
    return {.name = std::move(name), .entries = kUnbounded, .holds = std::move(holds)};
}

inline StructureParameters unbounded_tlb(std::string name) {
    return unbounded(std::move(name), held(MappingClass::kTranslation, {1, 2, 3}));
}

/// What a walk may find cached, by level; an empty list is a structure that the machine lacks.
struct WalkCaches {
    std::vector<int> paging_structures{};
    std::vector<int> nested_translations{};
    std::vector<int> nested_paging_structures{};
};

/// A machine without TLBs: every access walks.
inline MachineParameters walker(const WalkCaches& caches) {
    MachineParameters machine{.name = "walker"};
    if (!caches.paging_structures.empty()) {
        machine.paging_structure_caches = {
            unbounded("psc", held(MappingClass::kPagingStructure, caches.paging_structures))};
    }
    if (!caches.nested_translations.empty()) {
        machine.nested_tlb = {
            unbounded("ntlb", held(MappingClass::kNestedTranslation, caches.nested_translations))};
    }
    if (!caches.nested_paging_structures.empty()) {
        machine.nested_paging_structure_caches = {unbounded(
            "npsc", held(MappingClass::kNestedPagingStructure, caches.nested_paging_structures))};
    }
    return machine;
}

/// Every structure, unbounded, and nothing dropped that the architecture lets it keep.
inline MachineParameters exact_machine() {
    MachineParameters machine = walker({.paging_structures = {2, 3, 4, 5},
                                        .nested_translations = {1, 2, 3},
                                        .nested_paging_structures = {2, 3, 4, 5}});
    machine.name = "exact";
    machine.l1_dtlb = {unbounded_tlb("dtlb")};
    machine.l1_itlb = {unbounded_tlb("itlb")};
    machine.stlb = {unbounded_tlb("stlb")};
    return machine;
}

/// The exact machine with TLBs and paging-structure caches only.
inline MachineParameters exact_without_nested_caches() {
    MachineParameters machine = exact_machine();
    machine.nested_tlb.clear();
    machine.nested_paging_structure_caches.clear();
    return machine;
}

inline MachineParameters exact_amd_machine() {
    MachineParameters machine = exact_machine();
    machine.vendor = Vendor::kAmd;
    return machine;
}

/// Intel's page fracturing as it was measured, on the exact machine.
inline MachineParameters fracturing_machine() {
    MachineParameters machine = exact_machine();
    machine.fracture = {.full_flush = true,
                        .model = FractureModel::kSticky,
                        .scope = FractureScope::kCurrentContext,
                        .globals = true};
    return machine;
}

}  // namespace nestwalk::test
