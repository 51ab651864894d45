#include "apps/config_override.h"
#include "apps/text_file.h"
#include "apps/yaml_reader.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::size_t kDeepestKey = 8;
constexpr std::size_t kLongestName = 80;

// How errors name a command-line override: as it was typed, on one line.
SourceLocation named_after(const std::string& key_value) {
    std::string name = "--set " + key_value.substr(0, kLongestName);
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return {name + (key_value.size() > kLongestName ? "..." : ""), 0, 0};
}

}  // namespace

std::vector<std::string> split_key(const std::string& key, const SourceLocation& location) {
    std::vector<std::string> path;
    for (std::size_t start = 0; start <= key.size();) {
        const std::size_t end = std::min(key.find('.', start), key.size());
        path.push_back(key.substr(start, end - start));
        if (path.back().empty())
            throw InputError(location, "the key " + quoted(key) +
                                           " has an empty part, expected names "
                                           "joined by dots as in stlb.entries");
        start = end + 1;
    }
    if (path.size() > kDeepestKey)
        throw InputError(location, "the key " + quoted(key) + " has more than " +
                                       std::to_string(kDeepestKey) + " parts");
    return path;
}

std::string dotted(std::span<const std::string> path) {
    std::string key;
    for (const std::string& part : path) {
        if (!key.empty()) key += '.';
        key += part;
    }
    return key;
}

ConfigNode typed_value(const std::string& text, const SourceLocation& where) {
    const std::string checked = checked_text(text, where.file);
    ConfigNode value = checked.starts_with('[') || checked.starts_with('{')
                           ? read_yaml(checked, where.file)
                           : word_node(checked);
    relocate(value, where);
    return value;
}

Override parse_override(const std::string& key_value) {
    const SourceLocation where = named_after(key_value);
    const std::size_t equals = key_value.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(where, "expected KEY=VALUE, as in stlb.entries=1024");
    Override change{};
    change.location = where;
    change.path = split_key(key_value.substr(0, equals), where);
    change.value = typed_value(key_value.substr(equals + 1), where);
    return change;
}

std::vector<Override> parse_overrides(const std::vector<std::string>& settings) {
    std::vector<Override> overrides;
    for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
    return overrides;
}

std::vector<Override> overrides_of(const ConfigNode& set) {
    if (!set.is_map())
        throw InputError(set.location, "set: expected a map such as {stlb.entries: 1024}");
    std::vector<Override> changes;
    for (std::size_t i = 0; i < set.keys.size(); ++i)
        changes.push_back({split_key(set.keys[i].name, set.keys[i].location), set.children[i],
                           set.keys[i].location});
    return changes;
}

void apply_override(ConfigNode& root, const Override& change) {
    ConfigNode* node = &root;
    for (std::size_t i = 0; i < change.path.size(); ++i) {
        if (!node->is_map()) {
            const std::span<const std::string> above(change.path.data(), i);
            throw InputError(change.location, dotted(above) + " has no keys, so " +
                                                  quoted(dotted(change.path)) + " cannot be set");
        }
        const bool last = i + 1 == change.path.size();
        if (last) {
            node->set(change.path[i], change.value);
        } else if (ConfigNode* const below = node->find(change.path[i]);
                   below && !below->is_null()) {
            node = below;
        } else {
            ConfigNode made = map_node();
            relocate(made, change.location);
            node = &node->set(change.path[i], std::move(made));
        }
    }
}

}  // namespace nestwalk
