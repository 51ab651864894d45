#pragma once

// The `os` part of an experiment's `system` section.

#include "apps/config_fields.h"
#include "models/machine.h"
#include "models/os_parameters.h"
#include "models/system_parameters.h"

namespace nestwalk {

/// `system` is what the other keys of the section say. Throws InputError where they make no sense
/// together.
OsParameters read_os(const ConfigValue& value, const SystemParameters& system);
/// Throws InputError where the machine does not have what the operating system is to use.
void check_os(const ConfigValue& value, const OsParameters& os, const MachineParameters& machine);
ConfigNode os_node(const OsParameters& os);

}  // namespace nestwalk
