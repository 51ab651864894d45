#include "apps/yaml_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace nestwalk {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 2;

// Whether a plain scalar would be taken for a number or a switch by readers that guess types.
bool looks_typed(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kSwitches{"on", "off",  "yes",
                                                               "no", "true", "false"};
    return std::isdigit(static_cast<unsigned char>(text[0])) != 0 ||
           std::find(kSwitches.begin(), kSwitches.end(), text) != kSwitches.end();
}

// Text that YAML reads back as itself without quotes, in a flow as in a block.
bool is_plain(std::string_view text) {
    if (text.empty() || text == "~" || text.front() == ' ' || text.back() == ' ') return false;
    for (const std::string_view null : {"null", "Null", "NULL"})
        if (text == null) return false;
    if (std::isalnum(static_cast<unsigned char>(text[0])) == 0 && text[0] != '/' && text[0] != '_')
        return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view(" _-./+=()").find(c) != std::string_view::npos;
    });
}

std::string in_quotes(std::string_view text) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7f)
            ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
        else
            out += c;
    }
    return out + '"';
}

std::string scalar_text(const ConfigNode& node) {
    if (!is_plain(node.text)) return in_quotes(node.text);
    const bool guessed = node.style != ConfigNode::Style::kPlain && looks_typed(node.text);
    return guessed ? in_quotes(node.text) : node.text;
}

std::string key_text(const std::string& key) { return is_plain(key) ? key : in_quotes(key); }

// Text of several lines that `|` or `|-` keeps as it is. The first line sets the indentation, so it
// must not begin with a blank; more than one final newline would need `|+`.
bool is_block(std::string_view text) {
    if (text.find('\n') == std::string_view::npos || text.ends_with("\n\n")) return false;
    if (std::isspace(static_cast<unsigned char>(text.front())) != 0) return false;
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    });
}

std::string block_text(std::string_view text, std::size_t indent) {
    std::string out = text.ends_with('\n') ? "|\n" : "|-\n";
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.empty()) ((out += std::string(indent, ' ')) += line);
        out += '\n';
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return out;
}

// Scalars and lists of scalars only: what is readable on one line.
bool is_flat(const ConfigNode& node, int depth) {
    if (node.is_scalar()) return node.text.find('\n') == std::string::npos;
    if (node.is_null() || node.children.empty()) return true;
    return depth > 0 &&
           std::all_of(node.children.begin(), node.children.end(),
                       [&](const ConfigNode& child) { return is_flat(child, depth - 1); });
}

void append_map(std::string& out, const ConfigNode& node, std::size_t indent);

// One list item: "- " takes the place of the last two spaces of its first line.
void append_item(std::string& out, const ConfigNode& item, std::size_t indent) {
    const std::string flow = write_flow(item);
    if (!item.is_map() || (is_flat(item, 2) && indent + 2 + flow.size() <= kColumns)) {
        out += std::string(indent, ' ') + "- " + flow + '\n';
        return;
    }
    const std::size_t start = out.size();
    append_map(out, item, indent + kIndent);
    out[start + indent] = '-';
}

void append_value(std::string& out, const ConfigNode& value, std::size_t indent) {
    if (value.is_scalar() && is_block(value.text)) {
        out += ' ' + block_text(value.text, indent + kIndent);
        return;
    }
    const std::string flow = write_flow(value);
    const std::size_t column = out.size() - (out.find_last_of('\n') + 1);
    const bool short_enough = is_flat(value, 2) && column + 1 + flow.size() <= kColumns;
    if (value.is_scalar() || value.is_null() || value.children.empty() || short_enough) {
        out += ' ' + flow + '\n';
        return;
    }
    out += '\n';
    if (value.is_map()) append_map(out, value, indent + kIndent);
    if (value.is_sequence())
        for (const ConfigNode& item : value.children) append_item(out, item, indent + kIndent);
}

void append_map(std::string& out, const ConfigNode& node, std::size_t indent) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        out += std::string(indent, ' ') + key_text(node.keys[i].name) + ':';
        append_value(out, node.children[i], indent);
    }
}

}  // namespace

std::string write_flow(const ConfigNode& node) {
    if (node.is_null()) return "null";
    if (node.is_scalar()) return scalar_text(node);
    std::string out = node.is_map() ? "{" : "[";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (i != 0) out += ", ";
        if (node.is_map()) out += key_text(node.keys[i].name) + ": ";
        out += write_flow(node.children[i]);
    }
    return out + (node.is_map() ? '}' : ']');
}

std::string write_yaml(const ConfigNode& root) {
    if (!root.is_map() || root.children.empty()) return write_flow(root) + '\n';
    std::string out;
    append_map(out, root, 0);
    return out;
}

}  // namespace nestwalk
