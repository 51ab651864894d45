#include "apps/sweep_report.h"
#include "apps/csv.h"
#include "apps/json_writer.h"
#include "apps/number_format.h"
#include "apps/statistic_json.h"
#include "apps/text_table.h"
#include "apps/yaml_reader.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Take = std::function<void(const std::string&)>;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 5> kUsualColumns{"references", "l1.misses", "stlb.misses",
                                                   "walks", "cycles.total"};

/// A column of the table: the sum of some statistics, which have one unit.
struct Column {
    std::string name{};
    std::vector<std::size_t> members{};
    bool has_values{};
};

std::vector<Column> chosen_columns(const SweepStore& store, const SweepColumns& chosen) {
    const std::vector<std::string> names =
        chosen.names.empty() ? std::vector<std::string>(kUsualColumns.begin(), kUsualColumns.end())
                             : chosen.names;
    check_columns(store.statistics(), names);
    std::vector<Column> columns;
    for (const std::string& name : names)
        columns.push_back({name, statistics_named(store.statistics(), name), false});
    return columns;
}

const PhaseValues* phase_of(const PointResult& result, const SweepColumns& chosen) {
    for (const PhaseValues& phase : result.phases)
        if (phase.phase == chosen.phase) return &phase;
    return nullptr;
}

std::string cell_of(const SweepStore& store, const Column& column, const PhaseValues& of) {
    std::uint64_t sum = 0;
    bool kept = false;
    for (const std::size_t at : column.members) {
        if (!of.values[at]) continue;
        kept = true;
        if (__builtin_add_overflow(sum, *of.values[at], &sum)) return "beyond 64 bits";
    }
    return kept ? readable_value(store.statistics()[column.members[0]], sum) : "";
}

std::string heading(const SweepStore& store) {
    const SweepDescription& sweep = store.description();
    const ConfigNode experiment = read_yaml(sweep.experiment, store.path());
    std::string text;
    if (const ConfigNode* const title = experiment.find("title")) text = title->text + "\n";
    std::string keys;
    for (const SweepKey& key : sweep.keys) keys += (keys.empty() ? "" : " x ") + key.key;
    return text + fmt::format("{} points: {}\n", with_thousands(sweep.points()), keys);
}

void report_text(const SweepStore& store, const SweepColumns& chosen, const Take& take) {
    std::vector<Column> columns = chosen_columns(store, chosen);
    std::vector<std::vector<std::string>> rows;
    bool phase_found = false;
    bool all_done = true;
    store.for_each([&](const PointResult& result) {
        std::vector<std::string> row;
        for (const std::string& value : store.description().values(result.point))
            row.push_back(one_line(value));
        const PhaseValues* const phase = phase_of(result, chosen);
        phase_found = phase_found || phase != nullptr;
        for (Column& column : columns) {
            row.push_back(phase == nullptr ? "" : cell_of(store, column, *phase));
            column.has_values = column.has_values || !row.back().empty();
        }
        row.emplace_back(name_of(result.status));
        all_done = all_done && result.status == PointStatus::kDone;
        rows.push_back(std::move(row));
    });
    // Of the usual ones, those of time are left out where no machine keeps it.
    const std::size_t keys = store.description().keys.size();
    const auto is_shown = [&](std::size_t column) {
        if (column < keys) return true;
        if (column == keys + columns.size()) return !all_done;
        return !chosen.names.empty() || columns[column - keys].has_values;
    };
    std::vector<std::string> header;
    for (const SweepKey& key : store.description().keys) header.push_back(key.key);
    for (const Column& column : columns) header.push_back(column.name);
    header.emplace_back("status");
    rows.insert(rows.begin(), header);
    std::vector<TextTable::Align> aligned;
    for (std::size_t at = 0; at < header.size(); ++at)
        if (is_shown(at))
            aligned.push_back(at >= keys && at < keys + columns.size() ? TextTable::Align::kRight
                                                                       : TextTable::Align::kLeft);
    TextTable table(aligned);
    for (const std::vector<std::string>& row : rows) {
        std::vector<std::string> cells;
        for (std::size_t at = 0; at < row.size(); ++at)
            if (is_shown(at)) cells.push_back(row[at]);
        table.add(cells);
        if (&row == &rows.front()) table.add_rule();
    }
    take(heading(store) + "\n" + table.to_string());
    if (chosen.phase && !phase_found)
        take("\nNo point has a phase " + nestwalk::quoted(*chosen.phase) + ".\n");
    if (rows.size() - 1 < store.description().points())
        take(fmt::format("\n{} of {} points are in {}.\n", with_thousands(rows.size() - 1),
                         with_thousands(store.description().points()), store.path()));
}

// A value as an experiment in JSON has it: 512, true, "4K".
Json value_json(const std::string& text) {
    const bool yaml = text.starts_with('[') || text.starts_with('{');
    return to_json(yaml ? read_yaml(text, "a value") : word_node(text));
}

Json head_json(const SweepStore& store) {
    const SweepDescription& sweep = store.description();
    Json json;
    json["version"] = sweep.version;
    json["engine"] = sweep.engine;
    json["experiment"] = to_json(read_yaml(sweep.experiment, store.path()));
    json["settings"] = sweep.settings;
    json["inputs"] = Json::array();
    for (const SweepInput& input : sweep.inputs)
        json["inputs"].push_back(
            {{"kind", input.kind}, {"name", input.name}, {"sha256", input.sha256}});
    json["shard"] = store.shard().text();
    for (const SweepKey& key : sweep.keys)
        for (const std::string& value : key.values)
            json["sweep"][key.key].push_back(value_json(value));
    return json;
}

Json point_json(const SweepStore& store, const PointResult& result) {
    Json json;
    json["point"] = result.point;
    json["status"] = name_of(result.status);
    if (!result.error.empty()) json["error"] = result.error;
    if (!result.key.empty()) json["key"] = result.key;
    const std::vector<std::string> values = store.description().values(result.point);
    for (std::size_t at = 0; at < values.size(); ++at)
        json["values"][store.description().keys[at].key] = value_json(values[at]);
    if (result.phases.empty()) return json;
    json["whole"] = statistics_json(store.statistics(), result.phases[0]);
    json["phases"] = Json::array();
    for (std::size_t at = 1; at < result.phases.size(); ++at)
        json["phases"].push_back(
            {{"name", result.phases[at].phase.value_or("")},
             {"statistics", statistics_json(store.statistics(), result.phases[at])}});
    return json;
}

void report_json(const SweepStore& store, const Take& take) {
    std::string head = head_json(store).dump(2);
    head.resize(head.size() - 2);  // "\n}"
    take(head + ",\n  \"points\": [");
    bool first = true;
    store.for_each([&](const PointResult& result) {
        take((first ? "\n    " : ",\n    ") + point_json(store, result).dump());
        first = false;
    });
    PhaseValues all{};
    all.values.resize(store.statistics().size(), 0);
    take("\n  ],\n  \"legend\": " + legend_json(store.statistics(), all).dump() + "\n}\n");
}

void report_csv(const SweepStore& store, const Take& take) {
    std::string header = "point,status,error,key";
    for (const SweepKey& key : store.description().keys) header += "," + csv_quoted(key.key);
    header += ",phase";
    for (const StatisticInfo& info : store.statistics()) header += "," + csv_quoted(info.name);
    take(header + "\n");
    store.for_each([&](const PointResult& result) {
        std::string start = fmt::format("{},{},{},{}", result.point, name_of(result.status),
                                        csv_quoted(result.error), result.key);
        for (const std::string& value : store.description().values(result.point))
            start += "," + csv_quoted(value);
        if (result.phases.empty())
            take(start + std::string(1 + store.statistics().size(), ',') + "\n");
        for (const PhaseValues& phase : result.phases) {
            std::string row = start + ",";
            if (phase.phase) row += csv_quoted(phase_words(*phase.phase));
            for (std::size_t at = 0; at < phase.values.size(); ++at) {
                row += ',';
                if (phase.values[at]) row += exact_value(store.statistics()[at], *phase.values[at]);
            }
            take(row + "\n");
        }
    });
}

}  // namespace

void check_columns(const std::vector<StatisticInfo>& statistics,
                   const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (!statistics_named(statistics, name).empty()) continue;
        std::vector<std::string_view> known;
        for (const StatisticInfo& info : statistics) known.push_back(info.name);
        throw InputError({"--columns"},
                         fault("unknown statistic", name,
                               "a name that --format json lists, or its first words, as in "
                               "stlb.misses") +
                             suggestion(name, known));
    }
}

void report_sweep(const SweepStore& store, ReportFormat format, const SweepColumns& columns,
                  const std::function<void(const std::string&)>& take) {
    switch (format) {
        case ReportFormat::kText:
            return report_text(store, columns, take);
        case ReportFormat::kJson:
            return report_json(store, take);
        case ReportFormat::kCsv:
            return report_csv(store, take);
    }
}

}  // namespace nestwalk
