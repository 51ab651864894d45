#include "apps/machine_arrays.h"
#include "apps/set_fields.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::size_t kMostArrays = 64;

int read_level(const ConfigValue& value, const HoldingKey& key) {
    return key.by_page_size() ? read_word(value, kPageLevelWords)
                              : read_word(value, kEntryLevelWords);
}

// `all`, or [first way, number of ways].
WayRange read_ways(const ConfigValue& value) {
    if (value.node->is_scalar() && value.node->text == "all") return {};
    const std::string expected = "all, or [first way, number of ways]";
    const std::vector<ConfigValue> pair = read_list(value, expected);
    if (pair.size() != 2) reject(value, expected);
    return {static_cast<std::uint32_t>(read_unsigned(pair[0], {0, kMostWays - 1})),
            static_cast<std::uint32_t>(read_unsigned(pair[1], {1, kMostWays}))};
}

void add_holding(StructureParameters& array, const ConfigValue& where, const Holding& holding) {
    for (const Holding& held : array.holds)
        if (held.mapping_class == holding.mapping_class && held.level == holding.level)
            refuse(where, "is listed twice");
    array.holds.push_back(holding);
}

void read_holdings(const ConfigValue& value, const HoldingKey& key, StructureParameters& array) {
    if (value.node->is_map()) {
        for (std::size_t i = 0; i < value.node->keys.size(); ++i) {
            ConfigNode word = word_node(value.node->keys[i].name);
            word.location = value.node->keys[i].location;
            const ConfigValue named{&word, value.path};
            const WayRange ways =
                read_ways({&value.node->children[i], join_path(value.path, word.text)});
            add_holding(array, named, {key.mapping_class, read_level(named, key), ways});
        }
    } else {
        const std::string expected =
            key.by_page_size() ? "a list such as [4K, 2M]" : "a list such as [pde, pdpte]";
        for (const ConfigValue& item : read_list(value, expected))
            add_holding(array, item, {key.mapping_class, read_level(item, key), {}});
    }
}

std::uint32_t read_entries(const ConfigValue& value) {
    if (is_off(*value.node)) return 0;
    if (value.node->is_scalar() && value.node->text == "unbounded") return kUnbounded;
    // Words are the likelier mistake here than numbers, so say which are known.
    if (value.node->is_scalar() && !value.node->text.empty() && value.node->text[0] >= 'a')
        reject(value, "a number of entries, unbounded or off",
               std::array<std::string_view, 2>{"unbounded", "off"});
    return static_cast<std::uint32_t>(read_unsigned(value, {0, kMostArrayEntries}));
}

// `all`, or how many besides the current one.
std::uint32_t read_pcids_kept(const ConfigValue& value) {
    if (value.node->is_scalar() && value.node->text == "all") return kUnbounded;
    if (value.node->is_scalar() && !value.node->text.empty() && value.node->text[0] >= 'a')
        reject(value, "a number of PCIDs or all", std::array<std::string_view, 1>{"all"});
    return static_cast<std::uint32_t>(read_unsigned(value, {0, kMostPcidsKept}));
}

void check_ways(const StructureParameters& array, const ConfigFields& fields) {
    const std::uint32_t ways = array.ways == 0 ? array.entries : array.ways;
    check_policy(fields, array.replacement, ways, "this array");
    for (const Holding& holding : array.holds)
        if (holding.ways.count != 0 && holding.ways.first + holding.ways.count > ways)
            refuse(fields.map(), "ways " + std::to_string(holding.ways.first) + " to " +
                                     std::to_string(holding.ways.first + holding.ways.count - 1) +
                                     " are more than there are, this array has " +
                                     std::to_string(ways));
}

void read_geometry(const ConfigFields& fields, StructureParameters& array) {
    const ConfigValue ways = fields.require("ways");
    array.ways = read_ways_of_set(fields);
    const bool full = array.ways == 0;
    const std::optional<ConfigValue> index = fields.find("index");
    if (index) array.index = read_word(*index, kIndexWords);
    if (array.entries == kUnbounded) {  // never replaces, so it has neither ways nor sets
        array.ways = 0;
        array.index = {};
        for (Holding& holding : array.holds) holding.ways = {};
        return;
    }
    if (full && array.entries > kMostWays)
        refuse(ways, std::to_string(array.entries) + " entries are too many for one set, at most " +
                         std::to_string(kMostWays) + " (or entries: unbounded)");
    if (!full && (array.ways > array.entries || array.entries % array.ways != 0))
        refuse(ways, std::to_string(array.entries) + " entries cannot be divided into sets of " +
                         std::to_string(array.ways) + " ways");
    const std::uint32_t sets = full ? 1 : array.entries / array.ways;
    if (sets == 1)
        array.index = {};
    else if (!index)
        refuse(fields.map(), "the key 'index' is missing: an array of " + std::to_string(sets) +
                                 " sets needs it");
    if (!std::has_single_bit(sets))
        refuse(fields.require("entries"),
               std::to_string(array.entries) + " entries in sets of " + std::to_string(array.ways) +
                   " ways make " + std::to_string(sets) +
                   " sets; address bits can only select among a power of two");
    check_ways(array, fields);
}

// An array, or nothing if it is off or has no entries.
std::optional<StructureParameters> read_array(const ConfigValue& value, std::string_view name,
                                              const MachineSection& section) {
    if (is_off(*value.node)) return std::nullopt;
    const std::vector<std::string_view> keys = array_keys(section);
    const ConfigFields fields(value, keys);
    StructureParameters array{};
    array.name = name;
    array.entries = read_entries(fields.require("entries"));
    for (const HoldingKey& key : section.holds)
        if (const std::optional<ConfigValue> held = fields.find(key.key))
            read_holdings(*held, key, array);
    if (array.holds.empty())
        refuse(value, "holds nothing, expected at least " + quoted(section.holds[0].key));
    read_replacement(fields, array);
    if (const std::optional<ConfigValue> kept = fields.find("pcids_kept"))
        array.pcids_kept = read_pcids_kept(*kept);
    if (array.entries == 0) return std::nullopt;
    read_geometry(fields, array);
    return array;
}

// Path components must stay apart in dotted keys, so names have no dots.
void check_array_name(const ConfigKey& key, const ConfigValue& section) {
    if (key.name.size() > 40 ||
        key.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        throw InputError(key.location, section.path + ": " + quoted(key.name) +
                                           " cannot name an array, expected a-z, 0-9 and _");
}

// Where the document has the array of that name, the last of several; the whole document if
// nowhere.
ConfigValue array_in(const ConfigValue& document, const std::string& name) {
    const std::span<const MachineSection> sections = machine_sections();
    for (std::size_t i = sections.size(); i-- > 0;) {
        const MachineSection& section = sections[i];
        const ConfigNode* const node = document.node->find(section.key);
        if (node == nullptr) continue;
        if (section.is_one_array() && section.key == name) return {node, name};
        if (const ConfigNode* const array = section.is_one_array() ? nullptr : node->find(name))
            return {array, join_path(section.key, name)};
    }
    return document;
}

void hold_once(const std::vector<StructureParameters>& arrays, const ConfigValue& document,
               MappingClass mapping_class, std::set<std::pair<MappingClass, int>>& held) {
    for (const StructureParameters& array : arrays)
        for (const Holding& holding : array.holds)
            if (holding.mapping_class == mapping_class &&
                !held.insert({mapping_class, holding.level}).second) {
                const bool page = mapping_class == MappingClass::kTranslation ||
                                  mapping_class == MappingClass::kNestedTranslation;
                const std::string_view what = page ? word_for(holding.level, kPageLevelWords)
                                                   : word_for(holding.level, kEntryLevelWords);
                refuse(array_in(document, array.name), "another array holds " + std::string(what) +
                                                           " entries of this kind already");
            }
}

}  // namespace

void read_section(const ConfigValue& value, const MachineSection& section,
                  std::vector<StructureParameters>& arrays) {
    if (section.is_one_array()) {
        if (auto array = read_array(value, section.key, section))
            arrays.push_back(std::move(*array));
        return;
    }
    if (is_off(*value.node)) return;
    if (!value.node->is_map()) reject(value, "off, or a map of named arrays");
    if (value.node->keys.size() > kMostArrays)
        refuse(value, "has more than " + std::to_string(kMostArrays) + " arrays");
    for (std::size_t i = 0; i < value.node->keys.size(); ++i) {
        const ConfigKey& key = value.node->keys[i];
        check_array_name(key, value);
        auto array = read_array({&value.node->children[i], join_path(value.path, key.name)},
                                key.name, section);
        if (array) arrays.push_back(std::move(*array));
    }
}

void check_arrays(const MachineParameters& machine, const ConfigValue& document) {
    std::set<std::string> names;
    for (const auto* arrays : machine.array_groups())
        for (const StructureParameters& array : *arrays)
            if (!names.insert(array.name).second)
                refuse(array_in(document, array.name), "two arrays have the name " +
                                                           quoted(array.name) +
                                                           "; reports tell arrays apart by name");
    for (const auto* l1 : {&machine.l1_dtlb, &machine.l1_itlb}) {
        std::set<std::pair<MappingClass, int>> pages;
        hold_once(*l1, document, MappingClass::kTranslation, pages);
        if (l1 == &machine.l1_dtlb && !pages.contains({MappingClass::kTranslation, 1}))
            refuse(document, "l1_dtlb: no array holds 4K pages; a machine needs one");
    }
    std::set<std::pair<MappingClass, int>> held;
    for (const MappingClass mapping_class :
         {MappingClass::kPagingStructure, MappingClass::kNestedTranslation,
          MappingClass::kNestedPagingStructure})
        for (const auto* arrays : {&machine.stlb, &machine.paging_structure_caches,
                                   &machine.nested_tlb, &machine.nested_paging_structure_caches})
            hold_once(*arrays, document, mapping_class, held);
}

}  // namespace nestwalk
