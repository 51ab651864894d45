#pragma once

// One validation as text: what was measured and assumed, a table a group, and the closing lines.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

std::string validation_text(const Validation& validation);

}  // namespace nestwalk
