#pragma once

// The `system` section of an experiment.

#include "apps/config_fields.h"
#include "models/system_parameters.h"

namespace nestwalk {

/// Throws InputError for unknown keys, wrong types and combinations that no system can have.
SystemParameters read_system(const ConfigValue& value);

/// The section with every default filled in; `read_system` gives the parameters back.
ConfigNode system_node(const SystemParameters& system);

}  // namespace nestwalk
