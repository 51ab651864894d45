#pragma once

// The `locks` of a measurement file.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <optional>

namespace nestwalk {

/// Reads a list of locks into `measurement`, which has its figures. A figure says `lock: ID` if and
/// only if that lock names it. Throws InputError.
void read_locks(const std::optional<ConfigValue>& list, Measurement& measurement);

}  // namespace nestwalk
