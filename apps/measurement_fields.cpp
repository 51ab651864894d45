#include "apps/measurement_fields.h"
#include "sim/counters.h"

#include <array>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 5> kSourceKeys{"title", "where", "year", "author",
                                                      "message"};

}  // namespace

std::string read_id(const ConfigValue& value) {
    std::string id = read_text(value);
    if (id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
        reject(value, "an id of a-z, 0-9 and -");
    return id;
}

std::string read_optional_text(const ConfigFields& fields, std::string_view key) {
    const std::optional<ConfigValue> value = fields.find(key);
    return value ? read_text(*value) : std::string();
}

std::vector<ConfigValue> read_optional_list(const std::optional<ConfigValue>& list,
                                            const std::string& expected) {
    return list ? read_list(*list, expected) : std::vector<ConfigValue>();
}

MeasurementSource read_source(const ConfigValue& value) {
    const ConfigFields fields(value, kSourceKeys);
    return {read_text(fields.require("title")), read_text(fields.require("where")),
            read_unsigned(fields.require("year"), {1970, 2200}),
            read_optional_text(fields, "author"), read_optional_text(fields, "message")};
}

std::string read_statistic(const ConfigValue& value) {
    std::string name = read_text(value);
    const std::vector<std::size_t> counters = counters_named(name);
    if (counters.empty())
        reject(value, "a statistic of `nestwalk run`, or the beginning of several");
    const CounterInfo& first = counter_infos()[counters.front()];
    for (const std::size_t at : counters)
        if (counter_infos()[at].unit != first.unit)
            refuse(value, nestwalk::quoted(name) + " adds up " + first.unit + " (" + first.name +
                              ") and " + counter_infos()[at].unit + " (" +
                              counter_infos()[at].name + "), expected statistics of one unit");
    return name;
}

}  // namespace nestwalk
