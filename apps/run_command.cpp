#include "apps/access_log.h"
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/import_report_text.h"
#include "apps/interrupt.h"
#include "apps/output.h"
#include "apps/page_sizes_option.h"
#include "apps/partial_file.h"
#include "apps/run_report.h"
#include "apps/simulation.h"
#include "apps/yaml_writer.h"
#include "traces/source_location.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {
namespace {

const char* file_name(ReportFormat format) {
    switch (format) {
        case ReportFormat::kText:
            return "result.txt";
        case ReportFormat::kJson:
            return "result.json";
        case ReportFormat::kCsv:
            return "result.csv";
    }
    return "";
}

std::vector<Override> overrides_of(const RunOptions& options) {
    std::vector<Override> overrides;
    if (!options.trace.empty()) overrides.push_back(trace_override(options.trace));
    for (Override& change : overrides_of(options.import)) overrides.push_back(std::move(change));
    if (!options.page_sizes.empty()) {
        const PageSizes sizes = read_page_sizes(InputFile(options.page_sizes));
        fmt::print(stderr, "{}", page_sizes_text(sizes));
        overrides.push_back(regions_override(sizes));
    }
    for (const std::string& set : options.set) overrides.push_back(parse_override(set));
    return overrides;
}

/// Prints the verdict of a checked run. One that checked nothing has not passed.
int report_checks(const RunResult& result) {
    for (const std::string& failure : result.failures) fmt::print(stderr, "{}\n", failure);
    fmt::print(stderr, "{} expectations checked, {} failed\n", result.checked,
               result.failures.size());
    if (result.checked == 0) {
        fmt::print(stderr, "--check: the trace has no expect record that was reached\n");
        return kExitCheckFailed;
    }
    return result.failures.empty() ? kExitDone : kExitCheckFailed;
}

RunResult run_logged(const Experiment& experiment, const ReplayOptions& replay,
                     const std::string& schedule_log) {
    PartialFile file(schedule_log, "the schedule log");
    ScheduleWriter schedule([&](std::string_view text) { file.write(text); });
    RunResult result = run(experiment, replay, schedule);
    file.finish();
    return result;
}

}  // namespace

int run_command(const RunOptions& options) {
    const bool logs_schedule = !options.schedule_log.empty();
    if (logs_schedule && options.engine != Engine::kCycle) {
        throw InputError({"--schedule-log"},
                         "replay executes the records in the order of the trace; expected --engine "
                         "cycle with it");
    }
    Experiment experiment = load_experiment(options.experiment, overrides_of(options));
    if (auto* const trace = std::get_if<TraceFile>(&experiment.workload))
        trace->truncation = options.truncation;
    std::optional<AccessLog> log;
    if (!options.access_log.empty()) log.emplace(options.access_log);
    const ReplayOptions replay{
        .loop_collapse = options.no_collapse ? LoopCollapse::kOff : LoopCollapse::kOn,
        .checking = options.check ? Checking::kOn : Checking::kOff,
        .log = log ? &*log : nullptr,
        .stop = &interrupted()};
    const RunResult result = logs_schedule ? run_logged(experiment, replay, options.schedule_log)
                                           : run(experiment, replay, options.engine);
    if (log) log->finish();
    if (result.import) fmt::print(stderr, "{}", import_text(*result.import));

    const std::string report = report_run(experiment, result, options.format);
    if (options.output.empty()) {
        write_stdout(report);
    } else {
        write_result(options.output, "experiment.yaml", write_yaml(resolve(experiment)));
        write_result(options.output, file_name(options.format), report);
    }
    for (const std::string& note : result.notes) fmt::print(stderr, "note: {}\n", note);
    if (options.check) return report_checks(result);
    if (!result.first_fault.empty()) {
        fmt::print(stderr, "note: translations faulted; the first is {}\n", result.first_fault);
    }
    return kExitDone;
}

}  // namespace nestwalk
