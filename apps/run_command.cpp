#include "apps/access_log.h"
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/import_report_text.h"
#include "apps/interrupt.h"
#include "apps/interval_log.h"
#include "apps/miss_census.h"
#include "apps/output.h"
#include "apps/output_file.h"
#include "apps/page_sizes_option.h"
#include "apps/replay_logs.h"
#include "apps/run_progress.h"
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
    for (Override& change : parse_overrides(options.set)) overrides.push_back(std::move(change));
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

/// A log of a run that was stopped is not whole, and its name says so.
template <typename File>
void end_log(File& file, const RunResult& result) {
    if (!result.stopped_after) return file.finish();
    fmt::print(stderr, "note: what was logged until then is in {}\n", file.keep());
}

RunResult run_logged(const Experiment& experiment, const ReplayOptions& replay,
                     const RunControl& control, const std::string& schedule_log) {
    OutputFile file(schedule_log, "the schedule log");
    ScheduleWriter schedule([&](std::string_view text) { file.write(text); });
    RunResult result = run(experiment, replay, schedule, control);
    end_log(file, result);
    return result;
}

/// What hears of each access, as far as it was asked for.
struct Listeners {
    std::optional<AccessLog> accesses{};
    std::optional<IntervalLog> intervals{};
    std::optional<MissCensus> misses{};
    ReplayLogs logs{};

    explicit Listeners(const RunOptions& options) {
        if (options.top != 0 && options.format == ReportFormat::kCsv)
            throw InputError({"--top"}, "CSV has no place for it; expected --format text or json");
        if (!options.access_log.empty()) logs.add(accesses.emplace(options.access_log));
        if (!options.interval_csv.empty())
            logs.add(intervals.emplace(options.interval_csv, options.interval,
                                       options.interval_columns.empty()
                                           ? IntervalLog::usual_columns()
                                           : options.interval_columns));
        if (options.top != 0) logs.add(misses.emplace());
    }

    void end(const RunResult& result) {
        if (accesses) end_log(*accesses, result);
        if (intervals) end_log(*intervals, result);
    }

    MissReport report(const RunOptions& options) const {
        return {misses ? &*misses : nullptr, options.top, intervals ? &*intervals : nullptr};
    }
};

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
    Listeners listeners(options);
    std::optional<RunProgress> progress(std::in_place);
    const ReplayOptions replay{
        .loop_collapse = options.no_collapse ? LoopCollapse::kOff : LoopCollapse::kOn,
        .checking = options.check ? Checking::kOn : Checking::kOff,
        .log = listeners.logs.get(),
        .stop = &interrupted()};
    const RunControl control{options.part, Stopped::kKept, &*progress};
    const RunResult result = logs_schedule
                                 ? run_logged(experiment, replay, control, options.schedule_log)
                                 : run(experiment, replay, options.engine, control);
    progress.reset();
    listeners.end(result);
    if (result.import) fmt::print(stderr, "{}", import_text(*result.import));

    const std::string report =
        report_run(experiment, result, options.format, listeners.report(options));
    if (options.output.empty()) {
        write_stdout(report);
    } else {
        write_result(options.output, "experiment.yaml", write_yaml(resolve(experiment)));
        write_result(options.output, file_name(options.format), report);
    }
    for (const std::string& note : result.notes) fmt::print(stderr, "note: {}\n", note);
    if (result.stopped_after) {
        fmt::print(stderr, "nestwalk: interrupted; the results are of what was done until then\n");
        return kExitInterrupted;
    }
    if (options.check) return report_checks(result);
    if (!result.first_fault.empty()) {
        fmt::print(stderr, "note: translations faulted; the first is {}\n", result.first_fault);
    }
    return kExitDone;
}

}  // namespace nestwalk
