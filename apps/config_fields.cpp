#include "apps/config_fields.h"

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

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

// The power of 1024 that a K, M or G at the end stands for, which it takes off; 0 without one.
unsigned take_shift(std::string_view& text) {
    if (text.empty()) return 0;
    const std::size_t suffix = std::string_view("KMG").find(text.back());
    if (suffix == std::string_view::npos) return 0;
    text.remove_suffix(1);
    return 10 * (static_cast<unsigned>(suffix) + 1);
}

// Null for text that is no number of this form; more than 64 bits saturate.
std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const unsigned shift = take_shift(text);
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    const std::uint64_t base = hexadecimal ? 16 : 10;
    if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c == '_') continue;
        const auto digit = static_cast<std::uint64_t>(digit_of(c));
        if (digit >= base) return std::nullopt;
        number = number > (kMost - digit) / base ? kMost : number * base + digit;
    }
    return number > (kMost >> shift) ? kMost : number << shift;
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
    throw InputError(value.node->location, prefix_of(value) + message);
}

void reject(const ConfigValue& value, const std::string& expected,
            std::span<const std::string_view> known) {
    std::string message = "found " + found_in(*value.node) + ", expected " + expected;
    if (value.node->is_scalar())
        message += suggestion(value.node->text, {known.begin(), known.end()});
    refuse(value, message);
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
    const std::optional<std::uint64_t> number =
        value.node->is_scalar() ? parse_unsigned(value.node->text) : std::nullopt;
    if (!number || *number < range.least || *number > range.most)
        reject(value, expected_unsigned(range));
    return *number;
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
