#include "apps/simulation.h"
#include "apps/trace_part.h"
#include "sim/concurrent_run.h"
#include "sim/cycle_engine.h"

#include <algorithm>
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

/// Does `execute`, to its end or until it is stopped. False then, if what was done is to be kept.
template <typename Function>
bool to_the_end(const ReplayOptions& options, const RunControl& control, Function&& execute) {
    const auto kept = [&] {
        return control.stopped == Stopped::kKept && options.stop != nullptr && options.stop->load();
    };
    try {
        execute();
        return true;
    } catch (const Interrupted&) {
        if (!kept()) throw;
    } catch (const InputError&) {
        if (!kept()) throw;  // else it is of a read that was broken off
    }
    return false;
}

void note_nothing_counted(const RunControl& control, const TracePart& part, RunResult& result) {
    if (part.given() != 0 || result.stopped_after) return;
    if (control.part.skip == 0 && control.part.warm_up == 0) return;
    result.notes.push_back("nothing was counted: --skip and --warmup leave no record of the trace");
}

/// All that is to be read, and the least of what is known of how much that is.
void begin_progress(const OpenedWorkload& workload, const RunControl& control) {
    if (control.progress == nullptr) return;
    std::uint64_t records = control.part.limit;
    for (const std::uint64_t more : {control.part.skip, control.part.warm_up})
        records = records > UINT64_MAX - more ? UINT64_MAX : records + more;
    control.progress->begin(workload.progress, std::min(records, workload.most_records));
}

RunResult run_in_order(const Experiment& experiment, const ReplayOptions& options,
                       const RunControl& control) {
    const OpenedWorkload workload = open_workload(experiment.workload);
    TracePart part(*workload.source, options.stop, control.progress);
    begin_progress(workload, control);
    System system(experiment.machine.parameters, experiment.system);
    Replay replay(system, options);
    bool counting = false;
    const bool ended = to_the_end(options, control, [&] {
        part.pass_over(control.part.skip);
        if (control.part.warm_up != 0) {
            part.begin(control.part.warm_up);
            replay.run(part);
            replay.restart();
        }
        counting = true;
        part.begin(control.part.limit);
        replay.run(part);
    });
    // Accesses that wait to be executed together may be left out, one stop at a time.
    while (!ended && !to_the_end(options, control, [&] { replay.finish(); })) {
    }
    if (!counting) replay.restart();
    RunResult result = result_of(replay, experiment, system, *workload.source);
    if (options.clock == nullptr) result.replayed = replay.bulk_report();
    if (!ended) result.stopped_after = counting ? part.given() : 0;
    result.part = control.part;
    note_nothing_counted(control, part, result);
    return result;
}

RunResult run_side_by_side(const Experiment& experiment, const ReplayOptions& options,
                           ScheduleWriter* schedule, const RunControl& control) {
    if (control.part.warm_up != 0)
        throw InputError({"--warmup"},
                         "vCPUs side by side do not end their warm-up together; expected --engine "
                         "replay with it, or one vCPU");
    const OpenedWorkload workload = open_workload(experiment.workload);
    TracePart part(*workload.source, options.stop, control.progress);
    begin_progress(workload, control);
    System system(experiment.machine.parameters, experiment.system);
    VcpuStreams streams(part, experiment.system.vcpus);
    ConcurrentRun run(system, streams, options, experiment.schedule, schedule);
    const bool ended = to_the_end(options, control, [&] {
        part.pass_over(control.part.skip);
        part.begin(control.part.limit);
        run.run();
    });
    if (!ended) run.finish_early();
    RunResult result = result_of(run.replay(), experiment, system, *workload.source);
    result.side_by_side = true;
    result.locks = run.lock_uses();
    if (!ended) result.stopped_after = part.given();
    result.part = control.part;
    note_nothing_counted(control, part, result);
    return result;
}

RunResult run_with_engine(const Experiment& experiment, const ReplayOptions& options,
                          ScheduleWriter* schedule, const RunControl& control) {
    require_timing(experiment.machine);
    CycleEngine engine(experiment.machine.timing, experiment.system.vcpus);
    ReplayOptions with_clock = timed(experiment, options);
    with_clock.clock = &engine;
    const bool alone = experiment.system.vcpus == 1 && !experiment.schedule.steal.enabled();
    if (alone && schedule == nullptr) return run_in_order(experiment, with_clock, control);
    return run_side_by_side(experiment, with_clock, schedule, control);
}

}  // namespace

RunResult run(const Experiment& experiment, const ReplayOptions& options, Engine engine,
              const RunControl& control) {
    if (engine == Engine::kCycle) return run_with_engine(experiment, options, nullptr, control);
    RunResult result = run_in_order(experiment, timed(experiment, options), control);
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

RunResult run(const Experiment& experiment, const ReplayOptions& options, ScheduleWriter& schedule,
              const RunControl& control) {
    return run_with_engine(experiment, options, &schedule, control);
}

std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options) {
    const OpenedWorkload workload = open_workload(experiment.workload);
    auto system = std::make_unique<System>(experiment.machine.parameters, experiment.system);
    Replay(*system, timed(experiment, options)).run(*workload.source);
    return system;
}

}  // namespace nestwalk
