#pragma once

// One figure of a measurement file.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <optional>

namespace nestwalk {

/// Reads a figure of the last run in `measurement`, whose statistic is `statistic` where it says no
/// other. Throws InputError.
void read_figure(const ConfigValue& item, const std::optional<ConfigValue>& statistic,
                 Measurement& measurement);

}  // namespace nestwalk
