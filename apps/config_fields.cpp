#include "apps/config_fields.h"
#include "traces/number.h"

#include <algorithm>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 6> kSwitchWords{"on", "off", "true", "false", "yes", "no"};

std::string prefix_of(const ConfigValue& value) {
    return value.path.empty() ? std::string() : value.path + ": ";
}

std::string found_in(const ConfigNode& node) {
    if (node.is_null()) return "nothing";
    if (node.is_sequence()) return "a list";
    if (node.is_map()) return "a map";
    return quoted(node.text);
}

std::string expected_unsigned(UnsignedRange range) {
    std::string text = "an unsigned whole number such as 64, 0x40 or 4K";
    if (range.most != std::numeric_limits<std::uint64_t>::max())
        return text + ", from " + std::to_string(range.least) + " to " + std::to_string(range.most);
    if (range.least != 0) text += ", at least " + std::to_string(range.least);
    return text;
}

}  // namespace

void refuse(const ConfigValue& value, const std::string& message) {
    throw ImpossibleValue(value.node->location, prefix_of(value) + message);
}

void reject(const ConfigValue& value, const std::string& expected,
            std::span<const std::string_view> known) {
    std::string message = "found " + found_in(*value.node) + ", expected " + expected;
    if (value.node->is_scalar())
        message += suggestion(value.node->text, {known.begin(), known.end()});
    throw InputError(value.node->location, prefix_of(value) + message);
}

std::string join_path(std::string_view path, std::string_view key) {
    std::string joined(path);
    if (!joined.empty()) joined += '.';
    return joined += key;
}

ConfigFields::ConfigFields(const ConfigValue& map, std::span<const std::string_view> known)
    : map_(map) {
    const std::vector<std::string_view> words(known.begin(), known.end());
    if (!map.node->is_map()) reject(map, "a map with keys such as " + std::string(known.front()));
    for (const ConfigKey& key : map.node->keys) {
        if (std::find(words.begin(), words.end(), key.name) != words.end()) continue;
        throw InputError(key.location, prefix_of(map) + "unknown key " + quoted(key.name) +
                                           "; expected " + listed(words) +
                                           suggestion(key.name, words));
    }
}

std::optional<ConfigValue> ConfigFields::find(std::string_view key) const {
    const ConfigNode* const node = map_.node->find(key);
    if (node == nullptr) return std::nullopt;
    return ConfigValue{node, join_path(map_.path, key)};
}

ConfigValue ConfigFields::require(std::string_view key) const {
    const std::optional<ConfigValue> found = find(key);
    if (!found) refuse(map_, "the key " + quoted(key) + " is missing");
    return *found;
}

std::uint64_t read_unsigned(const ConfigValue& value, UnsignedRange range) {
    const ParsedNumber number = value.node->is_scalar() ? parse_number(value.node->text)
                                                        : ParsedNumber{0, NumberFault::kNotANumber};
    if (number.fault == NumberFault::kTooLarge && range.most == UnsignedRange{}.most)
        reject(value, expected_unsigned(range) + " that fits in 64 bits");
    if (number.fault != NumberFault::kNone || number.value < range.least ||
        number.value > range.most)
        reject(value, expected_unsigned(range));
    return number.value;
}

bool read_switch(const ConfigValue& value) {
    if (value.node->is_scalar()) {
        const auto found = std::find(kSwitchWords.begin(), kSwitchWords.end(), value.node->text);
        if (found != kSwitchWords.end()) return (found - kSwitchWords.begin()) % 2 == 0;
    }
    reject(value, "on or off", kSwitchWords);
}

std::string read_text(const ConfigValue& value) {
    if (!value.node->is_scalar() || value.node->text.empty()) reject(value, "text");
    return value.node->text;
}

PageSize read_page_size(const ConfigValue& value) { return read_word(value, kPageSizeWords); }

std::vector<ConfigValue> read_list(const ConfigValue& value, const std::string& expected) {
    if (!value.node->is_sequence()) reject(value, expected);
    std::vector<ConfigValue> items;
    items.reserve(value.node->children.size());
    for (std::size_t i = 0; i < value.node->children.size(); ++i)
        items.push_back({&value.node->children[i], value.path + '[' + std::to_string(i) + ']'});
    return items;
}

bool is_off(const ConfigNode& node) {
    return node.is_scalar() && (node.text == "off" || node.text == "false" || node.text == "no");
}

}  // namespace nestwalk
