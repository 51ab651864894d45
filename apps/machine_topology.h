#pragma once

// Whether the parts of a machine file's machine lead to each other as in hardware.

#include "apps/config_fields.h"
#include "models/machine.h"

namespace nestwalk {

/// Throws InputError at the part of `document` that nothing asks, or that leads nowhere.
void check_topology(const MachineParameters& machine, const ConfigValue& document);

}  // namespace nestwalk
