#include "apps/cache_section.h"
#include "apps/machine_file.h"
#include "apps/machine_schema.h"

#include <algorithm>
#include <utility>

namespace nestwalk {

namespace {

std::string_view level_word(const HoldingKey& key, int level) {
    return key.by_page_size() ? word_for(level, kPageLevelWords)
                              : word_for(level, kEntryLevelWords);
}

ConfigNode ways_node(WayRange ways) {
    if (ways == WayRange{}) return word_node("all");
    ConfigNode pair = sequence_node();
    pair.children = {number_node(ways.first), number_node(ways.count)};
    return pair;
}

// A list of words, or a map to ways where some may not use all of them. Null if there are none.
ConfigNode holdings_node(const StructureParameters& array, const HoldingKey& key) {
    ConfigNode list{};
    ConfigNode map = map_node();
    bool restricted = false;
    for (const Holding& holding : array.holds) {
        if (holding.mapping_class != key.mapping_class) continue;
        const std::string_view word = level_word(key, holding.level);
        list.kind = ConfigNode::Kind::kSequence;
        list.children.push_back(word_node(word));
        map.set(word, ways_node(holding.ways));
        restricted = restricted || holding.ways != WayRange{};
    }
    return restricted ? map : list;
}

ConfigNode array_node(const StructureParameters& array, const MachineSection& section) {
    ConfigNode node = map_node();
    for (const HoldingKey& key : section.holds)
        if (ConfigNode held = holdings_node(array, key); !held.is_null())
            node.set(key.key, std::move(held));
    const bool unbounded = array.entries == kUnbounded;
    node.set("entries", unbounded ? word_node("unbounded") : number_node(array.entries));
    node.set("ways", array.ways == 0 ? word_node("full") : number_node(array.ways));
    if (array.ways != 0 && array.ways != array.entries)
        node.set("index", word_node(word_for(array.index, kIndexWords)));
    node.set("replacement", word_node(word_for(array.replacement, kReplacementWords)));
    if (array.replacement == ReplacementPolicy::kRandom) node.set("seed", number_node(array.seed));
    const bool keeps_all = array.pcids_kept == kUnbounded;
    if (section.keeps_pcids())
        node.set("pcids_kept", keeps_all ? word_node("all") : number_node(array.pcids_kept));
    return node;
}

ConfigNode section_node(const MachineParameters& machine, const MachineSection& section) {
    const std::vector<StructureParameters>& arrays = machine.*section.arrays;
    if (section.is_one_array()) {
        const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const auto& array) {
            return array.name == section.key;
        });
        return found == arrays.end() ? switch_node(false) : array_node(*found, section);
    }
    if (arrays.empty()) return switch_node(false);
    ConfigNode node = map_node();
    for (const StructureParameters& array : arrays)
        node.set(array.name, array_node(array, section));
    return node;
}

}  // namespace

ConfigNode parameters_node(const Machine& machine) {
    const MachineParameters& parameters = machine.parameters;
    ConfigNode node = map_node();
    node.set("name", text_node(parameters.name));
    node.set("title", text_node(parameters.title));
    node.set("vendor", word_node(word_for(parameters.vendor, kVendorWords)));
    for (const MachineSection& section : machine_sections())
        node.set(section.key, section_node(parameters, section));
    node.set("caches", caches_node(parameters.caches));
    node.set("combined_target",
             word_node(word_for(parameters.combined_target, kCombinedTargetWords)));
    node.set("coalescing", word_node(word_for(parameters.coalescing, kCoalescingWords)));
    for (const ChoiceSection& section : choice_sections())
        node.set(section.key, choices_node(machine, section));
    return node;
}

ConfigNode machine_node(const Machine& machine) {
    ConfigNode node = parameters_node(machine);
    node.set("provenance", provenance_node(machine.provenance));
    return node;
}

}  // namespace nestwalk
