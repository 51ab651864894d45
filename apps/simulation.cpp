#include "apps/simulation.h"
#include "sim/concurrent_run.h"
#include "sim/cycle_engine.h"

#include <utility>

namespace nestwalk {
namespace {

ReplayOptions timed(const Experiment& experiment, ReplayOptions options) {
    options.timing = &experiment.machine.timing;
    return options;
}

void require_timing(const Machine& machine) {
    if (machine.timing.enabled) return;
    throw InputError({"--engine cycle"}, "machine '" + machine.parameters.name +
                                             "' has timing: off; expected one that says how long "
                                             "things take");
}

RunResult result_of(const Replay& replay, const Experiment& experiment, System& system,
                    const TraceSource& source) {
    RunResult result{.statistics = replay.statistics(),
                     .failures = replay.failures(),
                     .checked = replay.checked(),
                     .narrative = replay.narrative(),
                     .collapsed_iterations = replay.collapsed_iterations(),
                     .first_fault = replay.first_fault(),
                     .timed = experiment.machine.timing.enabled,
                     .vcpus = replay.vcpu_times()};
    if (const ImportReport* const report = source.import_report()) result.import = *report;
    result.cut_short = source.cut_short();
    for (const auto& [name, vcpu] : system.state().held_locks) {
        result.notes.push_back("vCPU " + std::to_string(vcpu) + " still holds lock '" + name +
                               "' at the end");
    }
    return result;
}

RunResult run_in_order(const Experiment& experiment, const ReplayOptions& options) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    System system(experiment.machine.parameters, experiment.system);
    Replay replay(system, options);
    replay.run(*source);
    return result_of(replay, experiment, system, *source);
}

RunResult run_side_by_side(const Experiment& experiment, const ReplayOptions& options,
                           ScheduleWriter* schedule) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    System system(experiment.machine.parameters, experiment.system);
    VcpuStreams streams(*source, experiment.system.vcpus);
    ConcurrentRun run(system, streams, options, experiment.schedule, schedule);
    run.run();
    RunResult result = result_of(run.replay(), experiment, system, *source);
    result.side_by_side = true;
    result.locks = run.lock_uses();
    return result;
}

RunResult run_with_engine(const Experiment& experiment, const ReplayOptions& options,
                          ScheduleWriter* schedule) {
    require_timing(experiment.machine);
    CycleEngine engine(experiment.machine.timing, experiment.system.vcpus);
    ReplayOptions with_clock = timed(experiment, options);
    with_clock.clock = &engine;
    const bool alone = experiment.system.vcpus == 1 && !experiment.schedule.steal.enabled();
    if (alone && schedule == nullptr) return run_in_order(experiment, with_clock);
    return run_side_by_side(experiment, with_clock, schedule);
}

}  // namespace

RunResult run(const Experiment& experiment, const ReplayOptions& options, Engine engine) {
    if (engine == Engine::kCycle) return run_with_engine(experiment, options, nullptr);
    RunResult result = run_in_order(experiment, timed(experiment, options));
    if (experiment.schedule.steal.enabled()) {
        result.notes.push_back(
            "system.steal has no effect: only --engine cycle runs vCPUs in time");
    }
    if (result.timed && result.statistics.whole()[counter::kIpis] > 0) {
        result.notes.push_back(
            "interrupts of shootdowns come at once and nobody waits for them: only --engine cycle "
            "runs vCPUs in time");
    }
    return result;
}

RunResult run(const Experiment& experiment, const ReplayOptions& options,
              ScheduleWriter& schedule) {
    return run_with_engine(experiment, options, &schedule);
}

std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options) {
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload);
    auto system = std::make_unique<System>(experiment.machine.parameters, experiment.system);
    Replay(*system, timed(experiment, options)).run(*source);
    return system;
}

}  // namespace nestwalk
