#pragma once

// The queues for measured locks as JSON: the ridge of bursts point by point, other requests, exits.

#include "apps/validation.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

nlohmann::ordered_json locks_json(const Validation& validation);

}  // namespace nestwalk
