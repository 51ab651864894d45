#include "apps/machine_file.h"
#include "apps/cache_section.h"
#include "apps/machine_arrays.h"
#include "apps/machine_schema.h"
#include "apps/machine_topology.h"
#include "apps/timing_section.h"
#include "apps/yaml_reader.h"

#include <map>
#include <optional>
#include <utility>

namespace nestwalk {

namespace {

std::string read_name(const ConfigValue& value) {
    const std::string name = read_text(value);
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos)
        reject(value, "a name of a-z, 0-9, - and _");
    return name;
}

// All but the provenance.
Machine read_parameters(const ConfigNode& document) {
    const ConfigFields fields({&document, ""}, machine_keys());
    Machine read{};
    MachineParameters& machine = read.parameters;
    machine.name = read_name(fields.require("name"));
    machine.title = read_text(fields.require("title"));
    machine.vendor = read_word(fields.require("vendor"), kVendorWords);
    for (const MachineSection& section : machine_sections())
        if (const std::optional<ConfigValue> value = fields.find(section.key))
            read_section(*value, section, machine.*section.arrays);
    if (const std::optional<ConfigValue> value = fields.find("caches"))
        machine.caches = read_caches(*value);
    machine.combined_target = read_word(fields.require("combined_target"), kCombinedTargetWords);
    if (const std::optional<ConfigValue> value = fields.find("coalescing"))
        machine.coalescing = read_word(*value, kCoalescingWords);
    for (const ChoiceSection& section : choice_sections()) read_choices(fields, section, read);
    check_timing(read, fields);
    check_arrays(machine, fields.map());
    check_topology(machine, fields.map());
    return read;
}

// The entries of the changed machine: those that kept their value keep their provenance.
std::vector<ProvenanceEntry> carry_over(const std::vector<ProvenanceEntry>& before,
                                        std::vector<ProvenanceEntry> after) {
    std::map<std::string, const ProvenanceEntry*> known;
    for (const ProvenanceEntry& entry : before) known.emplace(entry.path, &entry);
    for (ProvenanceEntry& entry : after) {
        const auto found = known.find(entry.path);
        if (found == known.end())
            entry.provenance = {ProvenanceKind::kSetByExperiment, "not in the machine file", ""};
        else if (found->second->value == entry.value)
            entry.provenance = found->second->provenance;
        else
            entry.provenance = {ProvenanceKind::kSetByExperiment,
                                "instead of " + found->second->value, ""};
    }
    return after;
}

}  // namespace

Machine read_machine(const ConfigNode& document, const std::vector<Override>& overrides) {
    Machine machine = read_parameters(document);
    machine.provenance = machine_values(parameters_node(machine));
    const ConfigFields fields({&document, ""}, machine_keys());
    read_provenance(fields.require("provenance"), machine.provenance);
    if (overrides.empty()) return machine;

    ConfigNode changed = document;
    for (const Override& change : overrides) apply_machine_override(changed, change);
    Machine result = read_parameters(changed);
    result.provenance = carry_over(machine.provenance, machine_values(parameters_node(result)));
    return result;
}

Machine load_machine(const std::string& path, const std::vector<Override>& overrides) {
    return read_machine(read_yaml_file(path), overrides);
}

}  // namespace nestwalk
