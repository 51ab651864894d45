#pragma once

// YAML -> ConfigNode. A subset on purpose: one document, no anchors, aliases or tags, bounded depth
// and number of nodes, so that a hostile file ends in a message and not in memory use.

#include "apps/config_node.h"

#include <cstddef>
#include <string>

namespace nestwalk {

inline constexpr std::size_t kDeepestConfig = 32;
inline constexpr std::size_t kMostConfigNodes = 100'000;

/// The document in the file. Throws InputError with the position of whatever is wrong.
ConfigNode read_yaml_file(const std::string& path);

/// The document in `text`; `file` is the name that positions carry.
ConfigNode read_yaml(std::string text, const std::string& file);

}  // namespace nestwalk
