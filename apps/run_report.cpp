#include "apps/run_report.h"
#include "apps/csv.h"
#include "apps/import_report_text.h"
#include "apps/json_writer.h"
#include "apps/narrative_report.h"
#include "apps/number_format.h"
#include "apps/open_choices.h"
#include "apps/statistic_json.h"
#include "apps/statistic_values.h"
#include "apps/text_table.h"
#include "apps/vcpu_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

/// More phases than this make a table that no terminal shows.
constexpr std::size_t kMostPhaseColumns = 6;

std::string data_references(const Counters& whole) {
    const std::uint64_t loads = whole[counter::kReferences];
    const std::uint64_t stores = whole[counter::kReferences + 1];
    return with_thousands(loads + stores);
}

/// "replayed: staged", "replayed: one at a time, because paging is off".
std::string replayed_text(const BulkReport& replayed) {
    if (replayed.staged + replayed.one_at_a_time == 0) return "";
    if (replayed.one_at_a_time == 0) return "replayed: staged\n";
    const char* const reason = words_for(replayed.first_reason);
    if (replayed.staged == 0) {
        return fmt::format("replayed: one at a time, because {}\n", reason);
    }
    return fmt::format("replayed: staged, but for {} of {} accesses; the first, because {}\n",
                       with_thousands(replayed.one_at_a_time),
                       with_thousands(replayed.one_at_a_time + replayed.staged), reason);
}

nlohmann::ordered_json replayed_json(const BulkReport& replayed) {
    return {{"staged", replayed.staged},
            {"one_at_a_time", replayed.one_at_a_time},
            {"first_reason", name_of(replayed.first_reason)}};
}

/// Which part of the trace was counted, where that is not all of it; a line, or none.
std::string part_text(const RunResult& result) {
    std::string text;
    if (result.part != RunPart{}) {
        const RunPart& part = result.part;
        text = fmt::format("of the trace: {} records skipped, {} warmed up and not counted",
                           with_thousands(part.skip), with_thousands(part.warm_up));
        if (part.limit != UINT64_MAX)
            text += fmt::format(", at most {} counted", with_thousands(part.limit));
        text += "\n";
    }
    if (result.stopped_after)
        text += fmt::format("partial: interrupted when {} records to be counted had been read\n",
                            with_thousands(*result.stopped_after));
    return text;
}

void add_part(const RunResult& result, nlohmann::ordered_json& json) {
    if (result.part != RunPart{}) {
        json["part"] = {{"skip", result.part.skip}, {"warmup", result.part.warm_up}};
        if (result.part.limit != UINT64_MAX) json["part"]["limit"] = result.part.limit;
    }
    if (!result.stopped_after) return;
    json["partial"] = true;
    json["records_read"] = *result.stopped_after;
}

std::string text_report(const Experiment& experiment, const RunResult& result,
                        const MissReport& misses) {
    const std::vector<StatisticInfo>& infos = statistic_infos();
    const std::vector<PhaseValues> all = statistics_of(result);
    const PhaseValues& whole = all[0];
    std::vector<PhaseValues> phases(all.begin() + 1, all.end());
    const bool too_many = phases.size() > kMostPhaseColumns;
    if (too_many || phases.size() == 1) phases.clear();

    std::vector<TextTable::Align> columns{TextTable::Align::kLeft};
    std::vector<std::string> header{""};
    for (const PhaseValues& phase : phases) {
        columns.push_back(TextTable::Align::kRight);
        header.push_back(phase_words(*phase.phase));
    }
    columns.insert(columns.end(), {TextTable::Align::kRight, TextTable::Align::kLeft});
    header.insert(header.end(), {"whole", "unit"});
    TextTable table(columns);
    table.add(header);
    table.add_rule();

    bool nothing = true;
    for (std::size_t at = 0; at < infos.size(); ++at) {
        if (whole.values[at].value_or(0) == 0) continue;
        nothing = false;
        std::vector<std::string> row{infos[at].name};
        for (const PhaseValues& phase : phases)
            row.push_back(phase.values[at] ? readable_value(infos[at], *phase.values[at]) : "");
        row.insert(row.end(), {readable_value(infos[at], *whole.values[at]), infos[at].unit});
        table.add(row);
    }

    std::string text = experiment.title.empty() ? "" : experiment.title + "\n";
    text += describe_system(experiment) + "\n";
    text += part_text(result);
    if (result.cut_short) text += "the trace is not whole: " + result.cut_short->reason + "\n";
    if (result.replayed) text += replayed_text(*result.replayed);
    if (const std::string choices = open_choices(experiment); !choices.empty()) {
        text += "choices that the manuals leave open: " + choices + "\n";
    }
    if (const std::string told = narrative_text(result.narrative); !told.empty()) {
        text += "\n" + told + "Statistics\n";
    }
    text += fmt::format("{} data references, {} distinct 4K pages, {} distinct 2M pages\n\n",
                        data_references(result.statistics.whole()),
                        with_thousands(result.statistics.footprint().pages_4k()),
                        with_thousands(result.statistics.footprint().pages_2m()));
    text += nothing ? "every statistic is 0\n" : table.to_string();
    if (too_many) {
        text +=
            fmt::format("\n{} phases are too many for columns; --format json or csv has each.\n",
                        all.size() - 1);
    }
    text += miss_text(misses);
    text += vcpu_text(result);
    return text;
}

std::string json_report(const Experiment& experiment, const RunResult& result,
                        const MissReport& misses) {
    nlohmann::ordered_json json;
    json["title"] = experiment.title;
    json["experiment"] = to_json(resolve(experiment));
    add_part(result, json);
    if (result.replayed) json["replayed"] = replayed_json(*result.replayed);
    if (result.import) json["import"] = import_json(*result.import);
    if (result.cut_short) {
        json["truncated"] = {{"good_records", result.cut_short->good_records},
                             {"reason", result.cut_short->reason}};
    }
    const std::vector<PhaseValues> all = statistics_of(result);
    json["whole"] = statistics_json(statistic_infos(), all[0]);
    json["phases"] = nlohmann::ordered_json::array();
    for (std::size_t at = 1; at < all.size(); ++at)
        json["phases"].push_back({{"name", *all[at].phase},
                                  {"statistics", statistics_json(statistic_infos(), all[at])}});
    add_misses(misses, json);
    add_vcpus(result, json);
    json["narrative"] = narrative_json(result.narrative);
    json["failed_expectations"] = result.failures;
    json["legend"] = legend_json(statistic_infos(), all[0]);
    return json.dump(2) + "\n";
}

/// The phase column is empty for the run as a whole.
std::string csv_report(const RunResult& result) {
    std::string text = "phase,statistic,value,unit\n";
    if (result.cut_short)
        text += fmt::format(",truncated_trace,{},records\n", result.cut_short->good_records);
    if (result.stopped_after)
        text += fmt::format(",partial_run,{},records\n", *result.stopped_after);
    for (const PhaseValues& of : statistics_of(result)) {
        const std::string phase = of.phase ? csv_quoted(phase_words(*of.phase)) : "";
        for (std::size_t at = 0; at < of.values.size(); ++at) {
            if (!of.values[at]) continue;
            const StatisticInfo& info = statistic_infos()[at];
            text += fmt::format("{},{},{},{}\n", phase, info.name,
                                exact_value(info, *of.values[at]), info.unit);
        }
    }
    text += vcpu_csv(result);
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

std::string report_run(const Experiment& experiment, const RunResult& result, ReportFormat format,
                       const MissReport& misses) {
    switch (format) {
        case ReportFormat::kText:
            return text_report(experiment, result, misses);
        case ReportFormat::kJson:
            return json_report(experiment, result, misses);
        case ReportFormat::kCsv:
            return csv_report(result);
    }
    return {};
}

}  // namespace nestwalk
