#pragma once

// Validations as text: what was measured and assumed, a table a group, and the closing lines.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

/// What the columns mean, for all validations that follow.
std::string validation_legend();

std::string validation_text(const Validation& validation);

}  // namespace nestwalk
