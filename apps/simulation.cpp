#include "apps/simulation.h"

namespace nestwalk {
namespace {

ReplayOptions timed(const Experiment& experiment, ReplayOptions options) {
    options.timing = &experiment.machine.timing;
    return options;
}

}  // namespace

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
