#include "apps/experiment_file.h"
#include "apps/config_fields.h"
#include "apps/config_path.h"
#include "apps/experiment_keys.h"
#include "apps/os_section.h"
#include "apps/schedule_section.h"
#include "apps/sweep_section.h"
#include "apps/system_section.h"
#include "apps/yaml_reader.h"
#include "models/hypervisor_policy.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

// Entries of all arrays of all vCPUs, so that a hostile experiment does not end with the memory
// (some 100 bytes each). No machine comes near.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 22;
// Bytes of all caches of all vCPUs, for the same reason (some 20 bytes a line).
constexpr std::uint64_t kMostCacheBytesInAll = std::uint64_t{1} << 31;

void check_size(const ConfigValue& machine, const Experiment& experiment) {
    const std::uint64_t entries =
        experiment.machine.parameters.bounded_entries() * experiment.system.vcpus;
    if (entries > kMostEntries)
        refuse(machine, "has " + std::to_string(entries) + " entries on " +
                            std::to_string(experiment.system.vcpus) + " vCPUs, at most " +
                            std::to_string(kMostEntries) + " in all");
    const CacheHierarchyParameters& caches = experiment.machine.parameters.caches;
    const std::uint64_t of_vcpu = caches.l1d.bytes + caches.l1i.bytes + caches.l2.bytes;
    const std::uint64_t bytes = of_vcpu * experiment.system.vcpus + caches.l3.bytes;
    if (bytes > kMostCacheBytesInAll)
        refuse(machine, "has caches of " + std::to_string(bytes) + " bytes on " +
                            std::to_string(experiment.system.vcpus) + " vCPUs, at most " +
                            std::to_string(kMostCacheBytesInAll) + " in all");
}

Machine read_machine_key(const ConfigValue& value, const fs::path& base,
                         const std::vector<Override>& overrides) {
    if (value.node->is_map()) return read_machine(*value.node, overrides);
    if (!value.node->is_scalar()) reject(value, "the name of a machine, or a machine file's map");
    const std::string file =
        find_machine(value.node->text, base_of(value, base), value.node->location);
    return load_machine(file, overrides);
}

void check_hypervisor(const ConfigValue& system, const Experiment& experiment) {
    const std::string error =
        hypervisor_error(experiment.system, experiment.machine.parameters.vendor);
    if (error.empty()) return;
    refuse({system.node->find("hypervisor"), join_path(system.path, "hypervisor")}, error);
}

bool addresses_experiment(const std::string& first) {
    static constexpr std::array<std::string_view, 5> kOwn{"title", "machine", "system", "workload",
                                                          "sweep"};
    return std::find(kOwn.begin(), kOwn.end(), first) != kOwn.end();
}

// A sweep has dotted keys: one from the command line takes the place of the file's.
Override as_written(Override change) {
    const std::string key = dotted(std::span(change.path).subspan(1));
    change.path = {"sweep", key};
    return change;
}

}  // namespace

std::vector<Override> apply_own(ConfigNode& document, const std::vector<Override>& overrides) {
    std::vector<Override> machine;
    for (Override change : overrides) {
        if (change.path[0] == "sweep" && change.path.size() > 1) {
            apply_override(document, as_written(std::move(change)));
        } else if (addresses_experiment(change.path[0])) {
            apply_override(document, change);
        } else if (change.path[0] != "set") {
            machine.push_back(std::move(change));
        } else if (change.path.size() > 1) {
            change.path.erase(change.path.begin());
            machine.push_back(std::move(change));
        } else {
            const std::vector<Override> parts = overrides_of(change.value);
            machine.insert(machine.end(), parts.begin(), parts.end());
        }
    }
    return machine;
}

Experiment read_experiment(ConfigNode document, const fs::path& base,
                           const std::vector<Override>& overrides) {
    const std::vector<Override> from_command_line = apply_own(document, overrides);
    const ConfigFields fields({&document, ""}, keys_of(kExperimentKeys));
    if (const auto sweep = fields.find("sweep")) read_sweep(*sweep);

    std::vector<Override> changes;
    if (const auto set = fields.find("set"); set && !set->node->is_null())
        changes = overrides_of(*set->node);
    changes.insert(changes.end(), from_command_line.begin(), from_command_line.end());

    Experiment experiment{};
    if (const auto title = fields.find("title")) experiment.title = read_text(*title);
    experiment.machine = read_machine_key(fields.require("machine"), base, changes);
    if (const auto system = fields.find("system"); system && !system->node->is_null()) {
        experiment.system = read_system(*system);
        check_os(*system, experiment.system.os, experiment.machine.parameters);
        check_hypervisor(*system, experiment);
        experiment.schedule = read_schedule(*system);
    }
    check_size(fields.require("machine"), experiment);
    experiment.workload = read_workload(fields.require("workload"), base);
    if (auto* trace = std::get_if<TraceFile>(&experiment.workload))
        trace->import.space_switch =
            experiment.system.os.kind == OsKind::kNone ? SpaceSwitch::kMovCr3 : SpaceSwitch::kByOs;
    return experiment;
}

Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides) {
    return read_experiment(read_yaml_file(path), fs::path(path).parent_path(), overrides);
}

Override trace_override(const std::string& path) {
    Override change{};
    change.location = {"--trace", 0, 0};
    change.path = {"workload"};
    change.value = map_node();
    change.value.set("trace", text_node(path));
    relocate(change.value, change.location);
    return change;
}

ConfigNode resolve(const Experiment& experiment) {
    ConfigNode node = map_node();
    if (!experiment.title.empty()) node.set("title", text_node(experiment.title));
    node.set("machine", machine_node(experiment.machine));
    ConfigNode system = system_node(experiment.system);
    add_schedule(experiment.schedule, system);
    node.set("system", std::move(system));
    node.set("workload", workload_node(experiment.workload));
    return node;
}

}  // namespace nestwalk
