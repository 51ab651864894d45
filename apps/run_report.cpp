#include "apps/run_report.h"
#include "apps/json_writer.h"
#include "apps/narrative_report.h"
#include "apps/number_format.h"
#include "apps/open_choices.h"
#include "apps/text_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

/// More phases than this make a table that no terminal shows.
constexpr std::size_t kMostPhaseColumns = 6;

/// A statistic beside the counters, of the whole run only.
struct WholeStatistic {
    const char* name;
    std::uint64_t value;
    const char* unit;
    const char* description;
};

std::vector<WholeStatistic> whole_statistics(const RunResult& result) {
    const Footprint& footprint = result.statistics.footprint();
    return {{"footprint.data.4K", footprint.pages_4k(), "pages",
             "distinct 4-KiB pages that loads and stores touched, whatever they are mapped with"},
            {"footprint.data.2M", footprint.pages_2m(), "pages",
             "distinct 2-MiB regions that loads and stores touched"},
            {"collapsed_iterations", result.collapsed_iterations, "iterations",
             "iterations of loops that were multiplied out instead of executed"}};
}

std::string readable(std::size_t index, std::uint64_t value) {
    return counter::is_time(index) ? readable_thousandths(value) : with_thousands(value);
}

/// Where no time was kept, there is nothing to say about it.
bool is_reported(std::size_t index, const RunResult& result) {
    if (counter::needs_clock(index) && !result.timed) return false;
    return !counter_infos()[index].name.empty();
}

std::string data_references(const Counters& whole) {
    const std::uint64_t loads = whole[counter::kReferences];
    const std::uint64_t stores = whole[counter::kReferences + 1];
    return with_thousands(loads + stores);
}

std::string text_report(const Experiment& experiment, const RunResult& result) {
    const Counters whole = result.statistics.whole();
    std::vector<Phase> phases = result.statistics.phases();
    const bool too_many = phases.size() > kMostPhaseColumns;
    if (too_many || phases.size() == 1) phases.clear();

    std::vector<TextTable::Align> columns{TextTable::Align::kLeft};
    std::vector<std::string> header{""};
    for (const Phase& phase : phases) {
        columns.push_back(TextTable::Align::kRight);
        header.push_back(phase.name.empty() ? "(before)" : phase.name);
    }
    columns.insert(columns.end(), {TextTable::Align::kRight, TextTable::Align::kLeft});
    header.insert(header.end(), {"whole", "unit"});
    TextTable table(columns);
    table.add(header);
    table.add_rule();

    const bool nothing = whole == Counters{};
    const std::vector<CounterInfo>& infos = counter_infos();
    for (std::size_t at = 0; at < infos.size(); ++at) {
        if (infos[at].name.empty() || whole[at] == 0) continue;
        std::vector<std::string> row{infos[at].name};
        for (const Phase& phase : phases) row.push_back(readable(at, phase.counters[at]));
        row.insert(row.end(), {readable(at, whole[at]), infos[at].unit});
        table.add(row);
    }
    for (const WholeStatistic& statistic : whole_statistics(result)) {
        if (statistic.value == 0) continue;
        std::vector<std::string> row{statistic.name};
        row.resize(1 + phases.size());
        row.insert(row.end(), {with_thousands(statistic.value), statistic.unit});
        table.add(row);
    }

    std::string text = experiment.title.empty() ? "" : experiment.title + "\n";
    text += describe_system(experiment) + "\n";
    if (const std::string choices = open_choices(experiment); !choices.empty()) {
        text += "choices that the manuals leave open: " + choices + "\n";
    }
    if (const std::string told = narrative_text(result.narrative); !told.empty()) {
        text += "\n" + told + "Statistics\n";
    }
    text += fmt::format("{} data references, {} distinct 4K pages, {} distinct 2M pages\n\n",
                        data_references(whole),
                        with_thousands(result.statistics.footprint().pages_4k()),
                        with_thousands(result.statistics.footprint().pages_2m()));
    text += nothing ? "every statistic is 0\n" : table.to_string();
    if (too_many) {
        text +=
            fmt::format("\n{} phases are too many for columns; --format json or csv has each.\n",
                        result.statistics.phases().size());
    }
    return text;
}

nlohmann::ordered_json counters_json(const Counters& counters, const RunResult& result) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    const std::vector<CounterInfo>& infos = counter_infos();
    for (std::size_t at = 0; at < infos.size(); ++at) {
        if (!is_reported(at, result)) continue;
        if (counter::is_time(at)) {
            json[infos[at].name] = static_cast<double>(counters[at]) / 1000;
        } else {
            json[infos[at].name] = counters[at];
        }
    }
    return json;
}

std::string json_report(const Experiment& experiment, const RunResult& result) {
    nlohmann::ordered_json json;
    json["title"] = experiment.title;
    json["experiment"] = to_json(resolve(experiment));
    json["whole"] = counters_json(result.statistics.whole(), result);
    for (const WholeStatistic& statistic : whole_statistics(result)) {
        json["whole"][statistic.name] = statistic.value;
    }
    json["phases"] = nlohmann::ordered_json::array();
    for (const Phase& phase : result.statistics.phases()) {
        json["phases"].push_back(
            {{"name", phase.name}, {"statistics", counters_json(phase.counters, result)}});
    }
    json["narrative"] = narrative_json(result.narrative);
    json["failed_expectations"] = result.failures;
    nlohmann::ordered_json& legend = json["legend"];
    for (std::size_t at = 0; at < counter::kCount; ++at) {
        if (!is_reported(at, result)) continue;
        const CounterInfo& info = counter_infos()[at];
        legend[info.name] = {{"unit", info.unit}, {"description", info.description}};
    }
    for (const WholeStatistic& statistic : whole_statistics(result)) {
        legend[statistic.name] = {{"unit", statistic.unit}, {"description", statistic.description}};
    }
    return json.dump(2) + "\n";
}

std::string csv_quoted(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + "\"";
}

void add_csv(const std::string& phase, const Counters& counters, const RunResult& result,
             std::string& text) {
    const std::vector<CounterInfo>& infos = counter_infos();
    for (std::size_t at = 0; at < infos.size(); ++at) {
        if (!is_reported(at, result)) continue;
        const std::string value =
            counter::is_time(at) ? with_thousandths(counters[at]) : std::to_string(counters[at]);
        text +=
            fmt::format("{},{},{},{}\n", csv_quoted(phase), infos[at].name, value, infos[at].unit);
    }
}

/// The phase column is empty for the run as a whole.
std::string csv_report(const RunResult& result) {
    std::string text = "phase,statistic,value,unit\n";
    add_csv("", result.statistics.whole(), result, text);
    for (const WholeStatistic& statistic : whole_statistics(result)) {
        text += fmt::format(",{},{},{}\n", statistic.name, statistic.value, statistic.unit);
    }
    for (const Phase& phase : result.statistics.phases()) {
        add_csv(phase.name.empty() ? "(before)" : phase.name, phase.counters, result, text);
    }
    return text;
}

}  // namespace

std::string describe_system(const Experiment& experiment) {
    const SystemParameters& system = experiment.system;
    const std::string machine = experiment.machine.parameters.name;
    const char* guest = name_of(system.guest.page_size);
    switch (system.paging) {
        case Paging::kNative:
            return fmt::format("{}, native paging, {} pages", machine, guest);
        case Paging::kNested:
            return fmt::format("{}, nested paging, guest {} on host {}", machine, guest,
                               name_of(system.host.page_size));
        case Paging::kShadow:
            return fmt::format("{}, shadow paging, guest {} on host {}", machine, guest,
                               name_of(system.host.page_size));
    }
    return machine;
}

std::string report_run(const Experiment& experiment, const RunResult& result, ReportFormat format) {
    switch (format) {
        case ReportFormat::kText:
            return text_report(experiment, result);
        case ReportFormat::kJson:
            return json_report(experiment, result);
        case ReportFormat::kCsv:
            return csv_report(result);
    }
    return {};
}

}  // namespace nestwalk
