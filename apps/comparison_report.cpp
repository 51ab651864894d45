#include "apps/comparison_report.h"
#include "apps/csv.h"
#include "apps/number_format.h"
#include "apps/sweep_description.h"
#include "apps/text_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<std::string>;

constexpr std::size_t kMostPointsNamed = 10;
constexpr double kThousand = 1000;

/// b - a with its sign. Nothing where one is absent.
std::optional<std::string> change_of(const StatisticDifference& difference, bool readable) {
    if (!difference.a || !difference.b) return std::nullopt;
    const bool falls = *difference.b < *difference.a;
    const std::uint64_t size =
        falls ? *difference.a - *difference.b : *difference.b - *difference.a;
    return (falls      ? "-"
            : readable ? "+"
                       : "") +
           (readable ? readable_value(difference.info, size) : exact_value(difference.info, size));
}

/// (b - a) / a. Nothing where it has no meaning.
std::optional<double> relative_change(const StatisticDifference& difference) {
    if (!difference.a || !difference.b || *difference.a == 0) return std::nullopt;
    return static_cast<double>(*difference.b) / static_cast<double>(*difference.a) - 1;
}

std::string point_words(const Values& keys, const Values& values) {
    std::string words;
    for (std::size_t at = 0; at < keys.size(); ++at)
        words += (at == 0 ? "" : ", ") + keys[at] + "=" + one_line(values[at]);
    return words.empty() ? "the run" : words;
}

std::string only_words(const char* which, const Values& keys, const std::vector<Values>& points) {
    std::string text;
    for (std::size_t at = 0; at < std::min(points.size(), kMostPointsNamed); ++at)
        text += fmt::format("only in {}: {}\n", which, point_words(keys, points[at]));
    if (points.size() > kMostPointsNamed)
        text += fmt::format("only in {}: {} more points\n", which,
                            with_thousands(points.size() - kMostPointsNamed));
    return text;
}

std::string table_of(const Comparison& comparison, std::size_t rows) {
    const auto shown = comparison.differences.begin();
    const auto end = shown + static_cast<std::ptrdiff_t>(rows);
    const bool phases = std::any_of(
        shown, end, [](const auto& difference) { return difference.phase.has_value(); });
    using Align = TextTable::Align;
    std::vector<Align> columns(comparison.keys.size() + (phases ? 2 : 1), Align::kLeft);
    columns.insert(columns.end(), 4, Align::kRight);
    Values header = comparison.keys;
    if (phases) header.emplace_back("phase");
    header.insert(header.end(), {"statistic", "A", "B", "difference", "change"});
    TextTable table(columns);
    table.add(header);
    table.add_rule();
    for (auto at = shown; at != end; ++at) {
        Values row;
        for (const std::string& value : comparison.points[at->point])
            row.push_back(one_line(value));
        if (phases) row.push_back(at->phase ? phase_words(*at->phase) : "");
        row.push_back(at->info.name);
        for (const StatisticValue& value : {at->a, at->b})
            row.push_back(value ? readable_value(at->info, *value) : "none");
        row.push_back(change_of(*at, true).value_or(""));
        const std::optional<double> change = relative_change(*at);
        row.push_back(change ? percent(*change) : "");
        table.add(row);
    }
    return table.to_string();
}

std::string text_report(const ResultSet& a, const ResultSet& b, const Comparison& comparison,
                        std::size_t rows) {
    std::string text =
        fmt::format("A: {}, {}\nB: {}, {}\n", a.path(), a.origin(), b.path(), b.origin());
    if (comparison.equal())
        return text + fmt::format("no difference at {} point{}\n",
                                  with_thousands(comparison.points.size()),
                                  comparison.points.size() == 1 ? "" : "s");
    text += only_words("A", comparison.keys, comparison.only_a);
    text += only_words("B", comparison.keys, comparison.only_b);
    std::size_t named = 0;
    for (const PointDifference& difference : comparison.point_differences) {
        if (named++ == kMostPointsNamed) break;
        text += fmt::format("{}: {}\n",
                            point_words(comparison.keys, comparison.points[difference.point]),
                            difference.words);
    }
    if (named > kMostPointsNamed)
        text += fmt::format("and {} more such points\n",
                            with_thousands(comparison.point_differences.size() - kMostPointsNamed));
    const std::size_t all = comparison.differences.size();
    const std::size_t shown = rows == 0 ? all : std::min(rows, all);
    if (shown > 0) text += "\n" + table_of(comparison, shown);
    if (shown < all)
        text += fmt::format("\n{} more differences are no larger; --rows 0 shows all.\n",
                            with_thousands(all - shown));
    return text;
}

Json named_values(const Values& keys, const Values& values) {
    Json json = Json::object();
    for (std::size_t at = 0; at < keys.size(); ++at) json[keys[at]] = values[at];
    return json;
}

Json value_json(const StatisticInfo& info, StatisticValue value) {
    if (!value) return nullptr;
    if (info.thousandths) return static_cast<double>(*value) / kThousand;
    return *value;
}

std::string json_report(const ResultSet& a, const ResultSet& b, const Comparison& comparison) {
    Json json;
    json["a"] = {{"file", a.path()}, {"origin", a.origin()}};
    json["b"] = {{"file", b.path()}, {"origin", b.origin()}};
    json["equal"] = comparison.equal();
    json["points"] = comparison.points.size();
    for (const auto& [name, points] :
         {std::pair("only_in_a", &comparison.only_a), std::pair("only_in_b", &comparison.only_b)}) {
        json[name] = Json::array();
        for (const Values& values : *points)
            json[name].push_back(named_values(comparison.keys, values));
    }
    json["point_differences"] = Json::array();
    for (const PointDifference& difference : comparison.point_differences)
        json["point_differences"].push_back(
            {{"values", named_values(comparison.keys, comparison.points[difference.point])},
             {"difference", difference.words}});
    json["differences"] = Json::array();
    for (const StatisticDifference& difference : comparison.differences) {
        const std::optional<double> change = relative_change(difference);
        json["differences"].push_back(
            {{"values", named_values(comparison.keys, comparison.points[difference.point])},
             {"phase", difference.phase ? Json(*difference.phase) : Json(nullptr)},
             {"statistic", difference.info.name},
             {"a", value_json(difference.info, difference.a)},
             {"b", value_json(difference.info, difference.b)},
             {"change", change ? Json(*change) : Json(nullptr)}});
    }
    return json.dump(2) + "\n";
}

std::string csv_start(const Values& values) {
    std::string row;
    for (const std::string& value : values) row += csv_quoted(value) + ",";
    return row;
}

// What has no statistic has its words in the column of it.
std::string csv_report(const Comparison& comparison) {
    std::string text = csv_start(comparison.keys) + "phase,statistic,a,b,difference,change\n";
    for (const Values& values : comparison.only_a) text += csv_start(values) + ",only in A,,,,\n";
    for (const Values& values : comparison.only_b) text += csv_start(values) + ",only in B,,,,\n";
    for (const PointDifference& difference : comparison.point_differences)
        text += csv_start(comparison.points[difference.point]) + "," +
                csv_quoted(difference.words) + ",,,,\n";
    for (const StatisticDifference& difference : comparison.differences) {
        const auto exact = [&](StatisticValue value) {
            return value ? exact_value(difference.info, *value) : std::string();
        };
        const std::optional<double> change = relative_change(difference);
        text += fmt::format("{}{},{},{},{},{},{}\n", csv_start(comparison.points[difference.point]),
                            difference.phase ? csv_quoted(phase_words(*difference.phase)) : "",
                            difference.info.name, exact(difference.a), exact(difference.b),
                            change_of(difference, false).value_or(""),
                            change ? fmt::format("{:.6g}", *change) : "");
    }
    return text;
}

}  // namespace

std::string report_comparison(const ResultSet& a, const ResultSet& b, const Comparison& comparison,
                              ReportFormat format, std::size_t rows) {
    switch (format) {
        case ReportFormat::kText:
            return text_report(a, b, comparison, rows);
        case ReportFormat::kJson:
            return json_report(a, b, comparison);
        case ReportFormat::kCsv:
            return csv_report(comparison);
    }
    return {};
}

}  // namespace nestwalk
