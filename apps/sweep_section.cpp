#include "apps/sweep_section.h"
#include "apps/config_override.h"
#include "apps/machine_schema.h"
#include "apps/yaml_writer.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 5> kOwnKeys{"title", "machine", "system", "workload", "set"};
constexpr std::string_view kExample = "{stlb.entries: [512, 1024]}";

std::vector<ConfigNode> read_values(const ConfigValue& list) {
    std::vector<ConfigNode> values;
    std::set<std::string> known;
    for (const ConfigValue& item : read_list(list, "a list of values, as in [512, 1024]")) {
        if (item.node->is_null()) reject(item, "a value");
        if (!known.insert(setting_text(*item.node)).second)
            refuse(item, nestwalk::quoted(setting_text(*item.node)) + " is listed twice");
        values.push_back(*item.node);
    }
    if (values.empty()) refuse(list, "the list is empty, so there is no combination to run");
    return values;
}

// What every point would refuse is refused before there are any.
void check_first(const std::vector<std::string>& path, const SourceLocation& location) {
    std::vector<std::string_view> known = settable_keys();
    if (path.front() != "set") known.insert(known.begin(), kOwnKeys.begin(), kOwnKeys.end());
    const std::string& first = path.front() == "set" && path.size() > 1 ? path[1] : path[0];
    if (first == "set" || std::find(known.begin(), known.end(), first) != known.end()) return;
    throw InputError(location, "sweep: unknown key " + quoted(first) + "; expected " +
                                   listed(known) + suggestion(first, known));
}

void read_axes(const ConfigValue& map, const std::vector<std::string>& above,
               std::vector<SweepAxis>& axes) {
    const ConfigNode& node = *map.node;
    if (node.is_map() && node.keys.empty())
        refuse(map, "has no keys, expected some such as " + std::string(kExample));
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const SourceLocation& location = node.keys[i].location;
        std::vector<std::string> path = above;
        for (std::string& part : split_key(node.keys[i].name, location))
            path.push_back(std::move(part));
        const std::string key = dotted(path);
        check_first(path, location);
        split_key(key, location);  // not too deep, with what stands above
        const ConfigValue value{&node.children[i], join_path("sweep", key)};
        if (value.node->is_map())
            read_axes(value, path, axes);
        else
            axes.push_back({key, path, read_values(value), location});
    }
}

bool begins_with(const std::vector<std::string>& path, const std::vector<std::string>& start) {
    return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

void check_apart(const std::vector<SweepAxis>& axes) {
    for (std::size_t at = 0; at < axes.size(); ++at)
        for (std::size_t before = 0; before < at; ++before) {
            const std::vector<std::string> one = full_path(axes[before].path);
            const std::vector<std::string> other = full_path(axes[at].path);
            if (begins_with(one, other) || begins_with(other, one))
                throw InputError(axes[at].location, "sweep: " + quoted(axes[at].key) + " and " +
                                                        quoted(axes[before].key) +
                                                        " change the same");
        }
}

void check_size(const ConfigValue& section, const std::vector<SweepAxis>& axes) {
    if (axes.size() > kMostSweepKeys)
        refuse(section, "has " + std::to_string(axes.size()) + " keys, at most " +
                            std::to_string(kMostSweepKeys));
    std::size_t product = 1;
    for (const SweepAxis& axis : axes) {
        product *= axis.values.size();  // of two numbers that are at most a few millions
        if (product > kMostSweepPoints)
            refuse(section, "has more than " + std::to_string(kMostSweepPoints) + " combinations");
    }
}

}  // namespace

std::vector<SweepAxis> read_sweep(const ConfigValue& section) {
    if (!section.node->is_map())
        reject(section, "a map of keys to lists of values, as in " + std::string(kExample));
    std::vector<SweepAxis> axes;
    read_axes(section, {}, axes);
    check_apart(axes);
    check_size(section, axes);
    return axes;
}

std::size_t combinations(const std::vector<SweepAxis>& axes) {
    std::size_t product = 1;
    for (const SweepAxis& axis : axes) product *= axis.values.size();
    return product;
}

std::string setting_text(const ConfigNode& value) {
    return value.is_scalar() ? value.text : write_flow(value);
}

std::vector<std::string> full_path(const std::vector<std::string>& path) {
    if (std::find(kOwnKeys.begin(), kOwnKeys.end(), path.front()) != kOwnKeys.end()) return path;
    std::vector<std::string> full{"set"};
    full.insert(full.end(), path.begin(), path.end());
    return full;
}

}  // namespace nestwalk
