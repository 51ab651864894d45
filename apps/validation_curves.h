#pragma once

// The rate curves of a measurement as tables: their points, and the rates that measured ratios
// would need.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

/// Empty where there is no curve.
std::string curves_text(const Validation& validation);

}  // namespace nestwalk
