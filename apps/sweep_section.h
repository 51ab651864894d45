#pragma once

// The `sweep` section of an experiment: which keys take which values in turn.

#include "apps/config_fields.h"
#include "apps/config_node.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwalk {

inline constexpr std::size_t kMostSweepKeys = 64;
inline constexpr std::size_t kMostSweepPoints = 1'000'000;

/// One key and its values.
struct SweepAxis {
    std::string key{};  ///< dotted, as on the command line
    std::vector<std::string> path{};
    std::vector<ConfigNode> values{};
    SourceLocation location{};
};

/// The keys in their order; each may be dotted, nested or both. Throws InputError for a section
/// that is no such map, for an empty list, a value listed twice, keys of which one is a part of
/// another, and more than kMostSweepPoints combinations.
std::vector<SweepAxis> read_sweep(const ConfigValue& section);

/// How many combinations there are.
std::size_t combinations(const std::vector<SweepAxis>& axes);

/// A value as it is typed after `KEY=`.
std::string setting_text(const ConfigNode& value);

/// The path of a key whose `set.` may be left out, with it: two keys that change the same have the
/// same path, or one begins with the other's.
std::vector<std::string> full_path(const std::vector<std::string>& path);

}  // namespace nestwalk
