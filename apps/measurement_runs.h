#pragma once

// The `runs` of a measurement file with their figures.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <optional>
#include <string>

namespace nestwalk {

/// What a run has where it says nothing else.
struct RunDefaults {
    std::optional<ConfigValue> machine{};
    std::optional<ConfigValue> statistic{};
    std::string base{};  ///< from which paths of experiments start
};

/// Reads a list of runs into `measurement`, which has its groups and assumptions. Throws
/// InputError.
void read_runs(const ConfigValue& list, const RunDefaults& defaults, Measurement& measurement);

}  // namespace nestwalk
