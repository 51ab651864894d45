#include "apps/machine_schema.h"
#include "apps/cache_section.h"
#include "apps/provenance.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace nestwalk {

namespace {

using Shape = MachineSection::Shape;

constexpr std::string_view kPages = "page sizes it holds, as `[4K, 2M]` (TLBs, `nested_tlb`)";
constexpr std::string_view kLevels =
    "levels of the entries it holds: `pde`, `pdpte`, `pml4e`, `pml5e` (paging-structure caches)";

constexpr std::array kTranslations{HoldingKey{"pages", MappingClass::kTranslation, kPages}};
constexpr std::array kSecondLevel{
    HoldingKey{"pages", MappingClass::kTranslation, kPages},
    HoldingKey{"paging_structures", MappingClass::kPagingStructure,
               "in `stlb` and `stlb_1g`: levels of paging-structure entries that live in the same "
               "array"},
    HoldingKey{"nested", MappingClass::kNestedTranslation,
               "in `stlb` and `stlb_1g`: page sizes of guest-physical translations that live in "
               "the same array"},
    HoldingKey{"nested_paging_structures", MappingClass::kNestedPagingStructure,
               "in `stlb` and `stlb_1g`: levels of EPT or NPT entries that live in the same "
               "array"}};
constexpr std::array kPagingStructures{
    HoldingKey{"levels", MappingClass::kPagingStructure, kLevels},
    HoldingKey{"nested_levels", MappingClass::kNestedPagingStructure,
               "in `paging_structure_caches`: levels of EPT or NPT entries that live in the same "
               "array"}};
constexpr std::array kNestedTranslations{
    HoldingKey{"pages", MappingClass::kNestedTranslation, kPages}};
constexpr std::array kNestedPagingStructures{
    HoldingKey{"levels", MappingClass::kNestedPagingStructure, kLevels}};

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

constexpr std::array<std::string_view, 2> kEntriesWords{"unbounded", "off"};
constexpr std::array<std::string_view, 1> kPcidsWords{"all"};
constexpr std::array kGeometryKeys{
    KeyForm{"entries",
            "how many: 1 to 1048576, `unbounded` (never replaces anything), or `off` or 0 (the "
            "machine does not have the array)",
            number_form({0, kMostArrayEntries}, kEntriesWords), "", true},
    KeyForm{"ways", "1 to 256, or `full`: fully associative, for at most 256 entries", kWaysForm,
            "", true},
    KeyForm{"index",
            "how the page number selects a set: `linear` (its low bits) or `xor-fold` (the low "
            "bits XOR as many bits above them). Only an array of one set can do without",
            word_form<kIndexWords>()},
    KeyForm{"replacement", kReplacementMeaning, word_form<kReplacementWords>(), "", true},
    KeyForm{"seed", kSeedMeaning, number_form(), "1"}};
constexpr KeyForm kPcidsKept{
    "pcids_kept",
    "`all` (default), or how many PCIDs besides the current one keep their non-global entries in "
    "this array; when another PCID is loaded, the entries of those used longest ago go. Not in "
    "`nested_tlb` and `guest_physical_paging_structure_caches`: guest-physical mappings have no "
    "PCID",
    number_form({0, kMostPcidsKept}, kPcidsWords), "all"};

constexpr std::string_view kCaches = "caches";
constexpr ValueForm kSectionForm = form_of(ValueForm::Kind::kSection);
constexpr std::array kTopKeys{
    KeyForm{"name", "name in reports: a-z, 0-9, `-`, `_`", form_of(ValueForm::Kind::kName), "",
            true},
    KeyForm{"title", "what a person calls the machine", form_of(ValueForm::Kind::kText), "", true},
    KeyForm{"vendor", "`intel` or `amd`: whose rules of tagging and invalidation hold",
            word_form<kVendorWords>(), "", true},
    KeyForm{"l1_dtlb", "first-level data TLBs, a map of named arrays. One must hold 4K pages",
            kSectionForm, "", true},
    KeyForm{"l1_itlb", "first-level instruction TLBs, a map of named arrays", kSectionForm},
    KeyForm{"stlb", "the second-level TLB, one array", kSectionForm},
    KeyForm{"stlb_1g", "a second array of the second level, usually for 1G pages", kSectionForm},
    KeyForm{"stlb_instruction",
            "a second-level TLB of its own for instruction fetches; without it they use `stlb`",
            kSectionForm},
    KeyForm{"paging_structure_caches",
            "caches of entries that reference another paging structure, a map of named arrays",
            kSectionForm},
    KeyForm{"nested_tlb", "translations of guest-physical addresses, a map of named arrays",
            kSectionForm},
    KeyForm{"guest_physical_paging_structure_caches",
            "caches of EPT or NPT entries that reference another table, a map of named arrays",
            kSectionForm},
    KeyForm{kCaches, "data and instruction caches, see below", kSectionForm},
    KeyForm{"combined_target",
            "what a paging-structure entry cached under nested paging points with: `host-physical` "
            "(the guest's paging structure is found at once) or `guest-physical` (its address "
            "still owes a walk of the host's table)",
            word_form<kCombinedTargetWords>(), "", true},
    KeyForm{"coalescing",
            "`off` (default), or `four-pages`: four 4K pages that are contiguous and aligned to "
            "16K in every address space and alike in all attributes take one entry of any TLB, "
            "see below",
            word_form<kCoalescingWords>(), "off"},
    KeyForm{"fracture", "page fracturing, see below", kSectionForm},
    KeyForm{"smash_1g", "1G pages cached as 2M pieces, see below", kSectionForm},
    KeyForm{"features", "instructions that not every processor has, see below", kSectionForm},
    KeyForm{"invalidation", "answers to questions that the manuals leave open, see below",
            kSectionForm},
    KeyForm{"timing", "clocks, latencies and costs, see below", kSectionForm},
    KeyForm{"provenance", "where the values come from, see below", maps_form(kRecordKeys), "",
            true}};

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
    throw ImpossibleValue(change.location, quoted(dotted(change.path)) +
                                               ": the machine has no array " +
                                               quoted(change.path[0] + "." + name) + "; " + known +
                                               " (to add one, set it to a map of all its keys)");
}

bool among(std::span<const std::string_view> known, std::string_view word) {
    return std::find(known.begin(), known.end(), word) != known.end();
}

void check_first(const Override& change) {
    std::vector<std::string_view> keys = settable_keys();
    if (among(keys, change.path[0])) return;
    keys.insert(keys.end(), {"title", "machine", "set", "system", "workload", "sweep"});
    unknown_key(change, change.path[0], keys);
}

// Keys at this level below a top-level one; none where they are names of arrays.
std::vector<std::string_view> keys_below(std::string_view first, std::size_t level) {
    if (const MachineSection* const section = find_section(first))
        return level == levels_below(first) ? array_keys(*section)
                                            : std::vector<std::string_view>{};
    std::vector<std::string_view> keys;
    if (first == kCaches) {
        if (level == 2) return keys_of(kCacheKeys);
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

std::span<const KeyForm> machine_key_forms() { return kTopKeys; }

std::vector<std::string_view> machine_keys() { return keys_of(kTopKeys); }

std::vector<std::string_view> settable_keys() {
    std::vector<std::string_view> keys = keys_of(kTopKeys);
    for (const std::string_view fixed : {"name", "title", "provenance"})
        keys.erase(std::find(keys.begin(), keys.end(), fixed));
    return keys;
}

bool MachineSection::keeps_pcids() const {
    return std::any_of(holds.begin(), holds.end(), [](const HoldingKey& held) {
        return held.mapping_class == MappingClass::kTranslation ||
               held.mapping_class == MappingClass::kPagingStructure;
    });
}

std::vector<KeyForm> array_key_forms(const MachineSection& section) {
    std::vector<KeyForm> keys;
    for (const HoldingKey& holding : section.holds) {
        const std::span<const std::string_view> words =
            holding.by_page_size() ? std::span<const std::string_view>(kWordsIn<kPageLevelWords>)
                                   : kWordsIn<kEntryLevelWords>;
        keys.push_back({holding.key, holding.meaning, {ValueForm::Kind::kHoldings, words, {}, {}}});
    }
    keys.insert(keys.end(), kGeometryKeys.begin(), kGeometryKeys.end());
    if (section.keeps_pcids()) keys.push_back(kPcidsKept);
    return keys;
}

std::vector<std::string_view> array_keys(const MachineSection& section) {
    return keys_of(array_key_forms(section));
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
