#pragma once

// The hardware arrays of a machine file: their keys, and which combinations no hardware could have.

#include "apps/config_fields.h"
#include "apps/machine_schema.h"
#include "models/machine.h"

#include <vector>

namespace nestwalk {

/// Appends the arrays of one section; none if it, or all in it, are off. Throws InputError for a
/// geometry that cannot be built.
void read_section(const ConfigValue& value, const MachineSection& section,
                  std::vector<StructureParameters>& arrays);

/// Throws InputError if the arrays do not fit together: one name or one kind of entry in two of
/// them, or no L1 dTLB for 4-KiB pages.
void check_arrays(const MachineParameters& machine, const ConfigValue& document);

}  // namespace nestwalk
