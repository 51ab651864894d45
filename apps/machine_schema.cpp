#include "apps/machine_schema.h"
#include "apps/cache_section.h"

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

constexpr std::array<std::string_view, 5> kGeometryKeys{"entries", "ways", "index", "replacement",
                                                        "seed"};
constexpr std::string_view kPcidsKept = "pcids_kept";
constexpr std::string_view kCaches = "caches";

// What the program calls a machine, and its records of origin, are no settings.
std::vector<std::string_view> settable_keys() {
    std::vector<std::string_view> keys{"vendor"};
    for (const MachineSection& section : kSections) keys.push_back(section.key);
    keys.insert(keys.end(), {kCaches, "combined_target", "coalescing"});
    for (const ChoiceSection& section : choice_sections()) keys.push_back(section.key);
    return keys;
}

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

bool among(std::span<const std::string_view> known, std::string_view word) {
    return std::find(known.begin(), known.end(), word) != known.end();
}

void check_first(const Override& change) {
    std::vector<std::string_view> keys = settable_keys();
    if (among(keys, change.path[0])) return;
    keys.insert(keys.end(), {"title", "machine", "set", "system", "workload"});
    unknown_key(change, change.path[0], keys);
}

// Keys at this level below a top-level one; none where they are names of arrays.
std::vector<std::string_view> keys_below(std::string_view first, std::size_t level) {
    if (const MachineSection* const section = find_section(first))
        return level == levels_below(first) ? array_keys(*section)
                                            : std::vector<std::string_view>{};
    std::vector<std::string_view> keys;
    if (first == kCaches) {
        if (level == 2) return {kCacheKeys.begin(), kCacheKeys.end()};
        for (const CacheLevel& cache : kCacheLevels) keys.push_back(cache.key);
        return keys;
    }
    for (const ChoiceKey& key : find_choice_section(first)->keys) keys.push_back(key.key);
    return keys;
}

bool has_named_arrays(std::string_view first) {
    const MachineSection* const section = find_section(first);
    return section != nullptr && !section->is_one_array();
}

void check_parts(const ConfigNode& machine, const Override& change) {
    check_first(change);
    const std::string& first = change.path[0];
    const std::size_t deepest = 1 + levels_below(first);
    if (change.path.size() > deepest)
        throw InputError(change.location,
                         quoted(dotted(change.path)) + " goes too deep: " +
                             quoted(dotted(std::span(change.path).first(deepest))) +
                             " is set as a whole");
    for (std::size_t level = 1; level < change.path.size(); ++level) {
        const std::vector<std::string_view> keys = keys_below(first, level);
        if (!keys.empty() && !among(keys, change.path[level]))
            unknown_key(change, change.path[level], keys);
    }
    const bool part_of_array = change.path.size() == 3 || !change.value.is_map();
    if (has_named_arrays(first) && change.path.size() > 1 && part_of_array)
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
    return change.path.size() <= levels_below(change.path[0]);
}

// What is off has no keys yet: the first one set below it makes it a map.
void open_what_is_off(ConfigNode& machine, const Override& change) {
    ConfigNode* node = &machine;
    for (std::size_t i = 0; i + 1 < change.path.size(); ++i) {
        node = node->find(change.path[i]);
        if (node == nullptr) return;
        if (!is_off(*node)) continue;
        *node = map_node();
        relocate(*node, change.location);
    }
}

}  // namespace

std::span<const MachineSection> machine_sections() { return kSections; }

const MachineSection* find_section(std::string_view key) {
    const auto found =
        std::find_if(kSections.begin(), kSections.end(),
                     [&](const MachineSection& section) { return section.key == key; });
    return found == kSections.end() ? nullptr : &*found;
}

std::vector<std::string_view> machine_keys() {
    std::vector<std::string_view> keys{"name", "title"};
    const std::vector<std::string_view> settable = settable_keys();
    keys.insert(keys.end(), settable.begin(), settable.end());
    keys.push_back("provenance");
    return keys;
}

bool MachineSection::keeps_pcids() const {
    return std::any_of(holds.begin(), holds.end(), [](const HoldingKey& held) {
        return held.mapping_class == MappingClass::kTranslation ||
               held.mapping_class == MappingClass::kPagingStructure;
    });
}

std::vector<std::string_view> array_keys(const MachineSection& section) {
    std::vector<std::string_view> keys;
    for (const HoldingKey& holding : section.holds) keys.push_back(holding.key);
    keys.insert(keys.end(), kGeometryKeys.begin(), kGeometryKeys.end());
    if (section.keeps_pcids()) keys.push_back(kPcidsKept);
    return keys;
}

std::size_t levels_below(std::string_view key) {
    if (key == kCaches || has_named_arrays(key)) return 2;
    return find_section(key) != nullptr || find_choice_section(key) != nullptr ? 1 : 0;
}

void apply_machine_override(ConfigNode& machine, const Override& change) {
    check_parts(machine, change);
    const bool merges = change.value.is_map() && has_keys_below(change) &&
                        existing_map(machine, change.path) != nullptr;
    if (!merges) {
        open_what_is_off(machine, change);
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
