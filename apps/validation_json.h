#pragma once

// Validations for programs.

#include "apps/validation.h"

#include <string>
#include <vector>

namespace nestwalk {

/// Errors are ratios, not per cent; null where they are undefined.
std::string json_report(const std::vector<Validation>& validations);

}  // namespace nestwalk
