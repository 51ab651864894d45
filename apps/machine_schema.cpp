#include "apps/machine_schema.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace nestwalk {

namespace {

using Shape = MachineSection::Shape;

constexpr std::array kTranslations{HoldingKey{"pages", MappingClass::kTranslation}};
constexpr std::array kSecondLevel{
    HoldingKey{"pages", MappingClass::kTranslation},
    HoldingKey{"paging_structures", MappingClass::kPagingStructure},
    HoldingKey{"nested", MappingClass::kNestedTranslation},
    HoldingKey{"nested_paging_structures", MappingClass::kNestedPagingStructure}};
constexpr std::array kPagingStructures{
    HoldingKey{"levels", MappingClass::kPagingStructure},
    HoldingKey{"nested_levels", MappingClass::kNestedPagingStructure}};
constexpr std::array kNestedTranslations{HoldingKey{"pages", MappingClass::kNestedTranslation}};
constexpr std::array kNestedPagingStructures{
    HoldingKey{"levels", MappingClass::kNestedPagingStructure}};

const std::array kSections{
    MachineSection{"l1_dtlb", Shape::kNamedArrays, &MachineParameters::l1_dtlb, kTranslations},
    MachineSection{"l1_itlb", Shape::kNamedArrays, &MachineParameters::l1_itlb, kTranslations},
    MachineSection{"stlb", Shape::kOneArray, &MachineParameters::stlb, kSecondLevel},
    MachineSection{"stlb_1g", Shape::kOneArray, &MachineParameters::stlb, kSecondLevel},
    MachineSection{"stlb_instruction", Shape::kOneArray, &MachineParameters::stlb_instruction,
                   kTranslations},
    MachineSection{"paging_structure_caches", Shape::kNamedArrays,
                   &MachineParameters::paging_structure_caches, kPagingStructures},
    MachineSection{"nested_tlb", Shape::kNamedArrays, &MachineParameters::nested_tlb,
                   kNestedTranslations},
    MachineSection{"guest_physical_paging_structure_caches", Shape::kNamedArrays,
                   &MachineParameters::nested_paging_structure_caches, kNestedPagingStructures},
};

constexpr std::array<std::string_view, 14> kMachineKeys{"name",
                                                        "title",
                                                        "vendor",
                                                        "l1_dtlb",
                                                        "l1_itlb",
                                                        "stlb",
                                                        "stlb_1g",
                                                        "stlb_instruction",
                                                        "paging_structure_caches",
                                                        "nested_tlb",
                                                        "guest_physical_paging_structure_caches",
                                                        "combined_target",
                                                        "fracture",
                                                        "provenance"};
constexpr std::array<std::string_view, 6> kFractureKeys{"full_flush", "model",   "scope",
                                                        "globals",    "invpcid", "invvpid"};
constexpr std::array<std::string_view, 5> kGeometryKeys{"entries", "ways", "index", "replacement",
                                                        "seed"};

// Words that a `--set` key may begin with: settings of the machine, then those of the experiment.
constexpr std::array<std::string_view, 16> kSettableKeys{"vendor",
                                                         "l1_dtlb",
                                                         "l1_itlb",
                                                         "stlb",
                                                         "stlb_1g",
                                                         "stlb_instruction",
                                                         "paging_structure_caches",
                                                         "nested_tlb",
                                                         "guest_physical_paging_structure_caches",
                                                         "combined_target",
                                                         "fracture",
                                                         "title",
                                                         "machine",
                                                         "set",
                                                         "system",
                                                         "workload"};
constexpr std::size_t kMachineSettable = 11;

[[noreturn]] void unknown_key(const Override& change, const std::string& part,
                              std::span<const std::string_view> known) {
    const std::vector<std::string_view> words(known.begin(), known.end());
    throw InputError(change.location,
                     quoted(dotted(change.path)) + " is no setting of a machine: " + quoted(part) +
                         " is unknown; expected " + listed(words) + suggestion(part, words));
}

// A part of an array cannot be set if there is no such array: its other values would be missing.
void check_array(const ConfigNode* section, const Override& change) {
    std::vector<std::string_view> names;
    if (section != nullptr)
        for (const ConfigKey& key : section->keys) names.push_back(key.name);
    const std::string& name = change.path[1];
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    const std::string known =
        names.empty() ? "its section is off" : "it has " + listed(names) + suggestion(name, names);
    throw InputError(change.location, quoted(dotted(change.path)) + ": the machine has no array " +
                                          quoted(change.path[0] + "." + name) + "; " + known +
                                          " (to add one, set it to a map of all its keys)");
}

void check_parts(const ConfigNode& machine, const Override& change) {
    const std::string& first = change.path[0];
    const auto settable = std::span(kSettableKeys).first(kMachineSettable);
    if (std::find(settable.begin(), settable.end(), first) == settable.end())
        unknown_key(change, first, kSettableKeys);
    const MachineSection* const section = find_section(first);
    std::size_t deepest = first == "fracture" || (section && section->is_one_array()) ? 2 : 1;
    if (section && !section->is_one_array()) deepest = 3;
    if (change.path.size() > deepest)
        throw InputError(change.location,
                         quoted(dotted(change.path)) + " goes too deep: " +
                             quoted(dotted(std::span(change.path).first(deepest))) +
                             " is set as a whole");
    if (first == "fracture" && change.path.size() == 2 &&
        std::count(kFractureKeys.begin(), kFractureKeys.end(), change.path[1]) == 0)
        unknown_key(change, change.path[1], kFractureKeys);
    if (!section) return;
    if (change.path.size() == deepest) {
        const std::vector<std::string_view> keys = array_keys(*section);
        if (std::count(keys.begin(), keys.end(), change.path.back()) == 0)
            unknown_key(change, change.path.back(), keys);
    }
    const bool part_of_array = change.path.size() == 3 || !change.value.is_map();
    if (!section->is_one_array() && change.path.size() > 1 && part_of_array)
        check_array(machine.find(first), change);
}

// What `path` has today, if that is a map.
const ConfigNode* existing_map(const ConfigNode& machine, std::span<const std::string> path) {
    const ConfigNode* node = &machine;
    for (const std::string& part : path)
        if (node != nullptr) node = node->find(part);
    return node != nullptr && node->is_map() ? node : nullptr;
}

bool has_keys_below(const Override& change) {
    const MachineSection* const section = find_section(change.path[0]);
    if (section && !section->is_one_array()) return change.path.size() <= 2;
    return (section || change.path[0] == "fracture") && change.path.size() == 1;
}

}  // namespace

std::span<const MachineSection> machine_sections() { return kSections; }

const MachineSection* find_section(std::string_view key) {
    const auto found =
        std::find_if(kSections.begin(), kSections.end(),
                     [&](const MachineSection& section) { return section.key == key; });
    return found == kSections.end() ? nullptr : &*found;
}

std::span<const std::string_view> machine_keys() { return kMachineKeys; }

std::span<const std::string_view> fracture_keys() { return kFractureKeys; }

std::vector<std::string_view> array_keys(const MachineSection& section) {
    std::vector<std::string_view> keys;
    for (const HoldingKey& holding : section.holds) keys.push_back(holding.key);
    keys.insert(keys.end(), kGeometryKeys.begin(), kGeometryKeys.end());
    return keys;
}

void apply_machine_override(ConfigNode& machine, const Override& change) {
    check_parts(machine, change);
    const bool merges = change.value.is_map() && has_keys_below(change) &&
                        existing_map(machine, change.path) != nullptr;
    if (!merges) {
        // A section that is off has no keys yet: the first one set below it makes it a map.
        if (ConfigNode* const top = machine.find(change.path[0]);
            top && is_off(*top) && change.path.size() > 1) {
            *top = map_node();
            relocate(*top, change.location);
        }
        apply_override(machine, change);
        return;
    }
    for (std::size_t i = 0; i < change.value.keys.size(); ++i) {
        const ConfigKey& key = change.value.keys[i];
        Override part{change.path, change.value.children[i], key.location};
        for (std::string& name : split_key(key.name, key.location)) part.path.push_back(name);
        apply_machine_override(machine, part);
    }
}

}  // namespace nestwalk
