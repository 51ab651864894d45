#include "apps/json_writer.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

// Digits, a point, digits: a latency.
bool is_decimal(std::string_view text) {
    const std::size_t point = text.find('.');
    const auto is_digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return point != std::string_view::npos && is_digits(text.substr(0, point)) &&
           is_digits(text.substr(point + 1));
}

nlohmann::ordered_json scalar_json(const ConfigNode& node) {
    const std::string_view text = node.text;
    if (node.style != ConfigNode::Style::kPlain || text.empty()) return node.text;
    if (text == "on" || text == "true") return true;
    if (text == "off" || text == "false") return false;
    const char* const last = text.data() + text.size();
    const bool canonical = text == "0" || text.front() != '0';
    std::uint64_t number{};
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error == std::errc() && end == last && canonical) return number;
    if (is_decimal(text)) return std::stod(node.text);
    return node.text;
}

}  // namespace

nlohmann::ordered_json to_json(const ConfigNode& node) {
    if (node.is_null()) return nullptr;
    if (node.is_scalar()) return scalar_json(node);
    if (node.is_sequence()) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const ConfigNode& child : node.children) list.push_back(to_json(child));
        return list;
    }
    nlohmann::ordered_json map = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < node.keys.size(); ++i)
        map[node.keys[i].name] = to_json(node.children[i]);
    return map;
}

}  // namespace nestwalk
