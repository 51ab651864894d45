#include "apps/simulation.h"
#include "traces/open_trace.h"
#include "traces/text_trace_reader.h"

namespace nestwalk {
namespace {

ReplayOptions timed(const Experiment& experiment, ReplayOptions options) {
    options.timing = &experiment.machine.timing;
    return options;
}

}  // namespace

std::unique_ptr<TraceSource> open_workload(const Workload& workload) {
    if (const auto* program = std::get_if<Program>(&workload)) {
        return std::make_unique<TextTraceReader>(program->text, program->location);
    }
    const auto& file = std::get<TraceFile>(workload);
    return open_trace(file.path, file.format).source;
}

RunResult run(const Experiment& experiment, const ReplayOptions& options) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    System system(experiment.machine.parameters, experiment.system);
    Replay replay(system, timed(experiment, options));
    replay.run(*source);

    return {replay.statistics(),
            replay.failures(),
            replay.checked(),
            replay.narrative(),
            replay.collapsed_iterations(),
            replay.first_fault(),
            options.clock != nullptr || experiment.machine.timing.enabled};
}

std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    auto system = std::make_unique<System>(experiment.machine.parameters, experiment.system);
    Replay(*system, timed(experiment, options)).run(*source);
    return system;
}

}  // namespace nestwalk
