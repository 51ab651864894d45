#include "apps/json_writer.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

nlohmann::ordered_json scalar_json(const ConfigNode& node) {
    const std::string_view text = node.text;
    if (node.style != ConfigNode::Style::kPlain || text.empty()) return node.text;
    if (text == "on" || text == "true") return true;
    if (text == "off" || text == "false") return false;
    std::uint64_t number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool canonical = text == "0" || text.front() != '0';
    if (error == std::errc() && end == text.data() + text.size() && canonical) return number;
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
