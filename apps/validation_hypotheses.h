#pragma once

// The runs of which several configurations may have been measured, as tables.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

/// Empty where no run has alternatives.
std::string hypotheses_text(const Validation& validation);

}  // namespace nestwalk
