#pragma once

// ConfigNode -> JSON, for results that other programs read.

#include "apps/config_node.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

/// The same tree, keys in the same order. Plain decimal scalars such as 12 and 4.4 become numbers,
/// plain on, off, true and false become booleans, all else strings.
nlohmann::ordered_json to_json(const ConfigNode& node);

}  // namespace nestwalk
