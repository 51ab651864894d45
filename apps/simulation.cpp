#include "apps/simulation.h"
#include "sim/cycle_engine.h"

#include <utility>

namespace nestwalk {
namespace {

ReplayOptions timed(const Experiment& experiment, ReplayOptions options) {
    options.timing = &experiment.machine.timing;
    return options;
}

std::unique_ptr<Clock> clock_of(const Experiment& experiment, Engine engine) {
    if (engine == Engine::kReplay) return nullptr;
    const Machine& machine = experiment.machine;
    if (!machine.timing.enabled) {
        throw InputError({"--engine cycle"}, "machine '" + machine.parameters.name +
                                                 "' has timing: off; expected one that says how "
                                                 "long things take");
    }
    return std::make_unique<CycleEngine>(machine.timing, experiment.system.vcpus);
}

}  // namespace

RunResult run(const Experiment& experiment, const ReplayOptions& options, Engine engine) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    System system(experiment.machine.parameters, experiment.system);
    const std::unique_ptr<Clock> clock = clock_of(experiment, engine);
    ReplayOptions with_clock = timed(experiment, options);
    if (clock != nullptr) with_clock.clock = clock.get();
    Replay replay(system, with_clock);
    replay.run(*source);

    std::optional<ImportReport> import;
    if (const ImportReport* report = source->import_report()) import = *report;
    return {replay.statistics(),
            replay.failures(),
            replay.checked(),
            replay.narrative(),
            replay.collapsed_iterations(),
            replay.first_fault(),
            with_clock.clock != nullptr || experiment.machine.timing.enabled,
            std::move(import)};
}

std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    auto system = std::make_unique<System>(experiment.machine.parameters, experiment.system);
    Replay(*system, timed(experiment, options)).run(*source);
    return system;
}

}  // namespace nestwalk
