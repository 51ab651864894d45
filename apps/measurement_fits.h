#pragma once

// What is fitted to the figures of a measurement: factors, which are assumptions with a
// `fitted_to`, and constants, which are values of machine files.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <optional>

namespace nestwalk {

/// Reads both into `measurement`, which has its runs, figures and locks. A figure is calibrated if
/// and only if one of them, or a lock, is fitted to it. Throws InputError.
void read_fits(const std::optional<ConfigValue>& assumptions,
               const std::optional<ConfigValue>& constants, Measurement& measurement);

}  // namespace nestwalk
