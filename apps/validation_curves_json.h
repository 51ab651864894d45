#pragma once

// Rate curves as JSON: every point, the rates that measured ratios would need, both experiments.

#include "apps/validation.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

nlohmann::ordered_json curves_json(const Validation& validation);

}  // namespace nestwalk
