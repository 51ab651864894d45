#include "apps/machine_topology.h"
#include "apps/config_override.h"
#include "sim/topology.h"

namespace nestwalk {
namespace {

/// The value that `key` names, or as much of the way there as the document has.
ConfigValue value_at(const ConfigValue& document, const std::string& key) {
    ConfigValue value = document;
    for (const std::string& part : split_key(key, {})) {
        const ConfigNode* const next = value.node->find(part);
        if (next == nullptr) break;
        value = {next, join_path(value.path, part)};
    }
    return value;
}

}  // namespace

void check_topology(const MachineParameters& machine, const ConfigValue& document) {
    if (const auto error = topology_error(topology_of(machine))) {
        // What an array holds decides who asks it: that is where it went wrong, if anywhere.
        refuse(value_at(document, error->key + ".pages"), error->message);
    }
}

}  // namespace nestwalk
