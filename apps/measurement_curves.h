#pragma once

// The `curves` of a measurement file.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <optional>
#include <string>

namespace nestwalk {

/// Reads a list of curves into `measurement`, which has its figures. Paths of experiments start
/// from `base`. Throws InputError.
void read_curves(const std::optional<ConfigValue>& list, const std::string& base,
                 Measurement& measurement);

}  // namespace nestwalk
