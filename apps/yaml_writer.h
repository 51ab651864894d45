#pragma once

// ConfigNode -> YAML that the reader takes back unchanged: blocks for what is deep, one line for
// what is flat, `|` for programs.

#include "apps/config_node.h"

#include <string>

namespace nestwalk {

/// The whole document, ending in a newline.
std::string write_yaml(const ConfigNode& root);

/// A value on one line, as in a table of parameters: `64`, `[4K, 2M]`, `{4K: all, 2M: [0, 8]}`.
std::string write_flow(const ConfigNode& node);

}  // namespace nestwalk
