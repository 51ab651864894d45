#include "apps/config_node.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace nestwalk {

namespace {

ConfigNode scalar(std::string_view text, ConfigNode::Style style) {
    ConfigNode node{};
    node.kind = ConfigNode::Kind::kScalar;
    node.style = style;
    node.text = text;
    return node;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& candidate) {
        return candidate.name == key;
    });
    if (found == keys.end()) return nullptr;
    return &children[static_cast<std::size_t>(found - keys.begin())];
}

ConfigNode* ConfigNode::find(std::string_view key) {
    return const_cast<ConfigNode*>(std::as_const(*this).find(key));
}

ConfigNode& ConfigNode::set(std::string_view key, ConfigNode value) {
    if (ConfigNode* const existing = find(key)) {
        *existing = std::move(value);
        return *existing;
    }
    keys.push_back({std::string(key), value.location});
    children.push_back(std::move(value));
    return children.back();
}

void ConfigNode::erase(std::string_view key) {
    for (std::size_t i = keys.size(); i-- > 0;) {
        if (keys[i].name != key) continue;
        keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(i));
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

ConfigNode word_node(std::string_view word) { return scalar(word, ConfigNode::Style::kPlain); }

ConfigNode number_node(std::uint64_t number) { return word_node(std::to_string(number)); }

ConfigNode size_node(std::uint64_t bytes) {
    static constexpr std::array<std::string_view, 4> kSuffixes{"", "K", "M", "G"};
    std::size_t suffix = 0;
    while (bytes != 0 && bytes % 1024 == 0 && suffix + 1 < kSuffixes.size()) {
        bytes /= 1024;
        ++suffix;
    }
    return word_node(std::to_string(bytes) + std::string(kSuffixes[suffix]));
}

ConfigNode text_node(std::string_view text) { return scalar(text, ConfigNode::Style::kQuoted); }

ConfigNode switch_node(bool on) { return word_node(on ? "on" : "off"); }

ConfigNode sequence_node() {
    ConfigNode node{};
    node.kind = ConfigNode::Kind::kSequence;
    return node;
}

ConfigNode map_node() {
    ConfigNode node{};
    node.kind = ConfigNode::Kind::kMap;
    return node;
}

void relocate(ConfigNode& node, const SourceLocation& location) {
    node.location = location;
    node.text_location = location;
    for (ConfigKey& key : node.keys) key.location = location;
    for (ConfigNode& child : node.children) relocate(child, location);
}

}  // namespace nestwalk
