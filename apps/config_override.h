#pragma once

// KEY=VALUE settings laid over a document before it is read, so that an override is checked exactly
// as the file would be and its errors name the override.

#include "apps/config_node.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

struct Override {
    std::vector<std::string> path{};  ///< components of a dotted key
    ConfigNode value{};
    SourceLocation location{};  ///< "--set KEY=VALUE", or the key's line in an experiment
};

/// A value as it is typed: one that begins with [ or { is read as YAML, any other is taken word for
/// word. Throws InputError at `where`.
ConfigNode typed_value(const std::string& text, const SourceLocation& where);

/// One `--set KEY=VALUE`. Throws InputError.
Override parse_override(const std::string& key_value);
/// One after the other of several. Throws InputError.
std::vector<Override> parse_overrides(const std::vector<std::string>& settings);

/// The entries of a `set:` map, their keys dotted or nested.
std::vector<Override> overrides_of(const ConfigNode& set);

/// Splits a dotted key. Throws InputError for an empty component or more than 8.
std::vector<std::string> split_key(const std::string& key, const SourceLocation& location);
std::string dotted(std::span<const std::string> path);

/// Gives the node at `change.path` below `root` the value, making maps on the way where there is
/// nothing. Throws InputError where a scalar or list is in the way.
void apply_override(ConfigNode& root, const Override& change);

}  // namespace nestwalk
