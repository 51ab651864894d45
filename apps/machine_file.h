#pragma once

// Machine files: YAML -> the parameters that the models and the engines are built from, with the
// provenance of each value.

#include "apps/config_node.h"
#include "apps/config_override.h"
#include "apps/provenance.h"
#include "models/machine.h"
#include "sim/timing_parameters.h"

#include <string>
#include <vector>

namespace nestwalk {

struct Machine {
    MachineParameters parameters{};
    TimingParameters timing{};
    std::vector<ProvenanceEntry>
        provenance{};  ///< one for each value, in the order of the file format

    bool operator==(const Machine&) const = default;
};

/// The machine that a document describes, `overrides` laid over it in their order. Both the
/// document itself and the result must be a possible machine. Values that differ from the
/// document's are "set by experiment". Throws InputError.
Machine read_machine(const ConfigNode& document, const std::vector<Override>& overrides = {});

/// The same from a file.
Machine load_machine(const std::string& path, const std::vector<Override>& overrides = {});

/// Canonical document of all but the provenance: every section, `off` where the machine has none.
ConfigNode parameters_node(const Machine& machine);

/// The same with the provenance; `read_machine` gives the machine back.
ConfigNode machine_node(const Machine& machine);

}  // namespace nestwalk
