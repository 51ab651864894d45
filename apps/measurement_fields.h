#pragma once

// What the parts of a measurement file have in common: ids, and references to what has one.

#include "apps/config_fields.h"
#include "apps/measurement.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// Throws InputError for other than a-z, 0-9 and -.
std::string read_id(const ConfigValue& value);

/// Empty where the map does not have the key.
std::string read_optional_text(const ConfigFields& fields, std::string_view key);

/// The items of the list, none where there is no list.
std::vector<ConfigValue> read_optional_list(const std::optional<ConfigValue>& list,
                                            const std::string& expected);

MeasurementSource read_source(const ConfigValue& value);

/// A counter or a group of counters that have one unit.
std::string read_statistic(const ConfigValue& value);

template <class Item>
std::optional<std::size_t> position_of(const std::vector<Item>& items, const std::string& id) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
    if (found == items.end()) return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

/// The index of the item that `value` names; `prefix` stands before it in the ids.
template <class Item>
std::size_t read_reference(const ConfigValue& value, const std::vector<Item>& items,
                           const std::string& prefix = "") {
    const std::string id = prefix + read_text(value);
    if (const std::optional<std::size_t> found = position_of(items, id)) return *found;
    std::vector<std::string_view> known;
    for (const Item& item : items)
        if (item.id.starts_with(prefix))
            known.push_back(std::string_view(item.id).substr(prefix.size()));
    reject(value, known.empty() ? "an id, but there are none" : listed(known), known);
}

/// The key `id` of a new item.
template <class Item>
std::string read_new_id(const ConfigFields& fields, const std::vector<Item>& items,
                        const std::string& prefix = "") {
    const ConfigValue value = fields.require("id");
    std::string id = prefix + read_id(value);
    if (position_of(items, id)) refuse(value, "the id " + nestwalk::quoted(id) + " is used twice");
    return id;
}

}  // namespace nestwalk
