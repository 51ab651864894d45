#pragma once

// Runs vCPUs side by side on a clock of either kind, and hands back what was counted, by vCPU and
// by lock, and the order in which records were executed.

#include "sim/closed_form_clock.h"
#include "sim/concurrent_run.h"
#include "sim/cycle_engine.h"
#include "tests/input_error.h"
#include "tests/sim/timed_run.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk::test {

struct SideBySideResult {
    Statistics statistics{};
    std::vector<Counters> vcpus{};
    std::vector<LockUse> locks{};
    std::vector<std::string> failures{};
    std::string schedule{};

    Counters whole() const { return statistics.whole(); }
    /// When a vCPU was done.
    double end(std::size_t vcpu) const { return cycles(vcpus.at(vcpu)); }
};

struct SideBySide {
    MachineParameters machine{exact_machine()};
    TimingParameters timing{plain_core()};
    SystemParameters system{.vcpus = 2};
    ScheduleParameters schedule{};
    TimeKeeper keeper{TimeKeeper::kCycleEngine};
    Checking checking{Checking::kOff};

    std::unique_ptr<Clock> clock() const {
        if (keeper == TimeKeeper::kReplay) {
            return std::make_unique<ClosedFormClock>(timing, system.vcpus);
        }
        return std::make_unique<CycleEngine>(timing, system.vcpus);
    }

    SideBySideResult operator()(TraceSource& source) const {
        SideBySideResult result;
        System simulated(machine, system);
        const std::unique_ptr<Clock> time = clock();
        VcpuStreams streams(source, system.vcpus);
        ScheduleWriter log([&](std::string_view text) { result.schedule += text; });
        ConcurrentRun run(simulated, streams,
                          {.checking = checking, .timing = &timing, .clock = time.get()}, schedule,
                          &log);
        run.run();
        result.statistics = run.replay().statistics();
        result.failures = run.replay().failures();
        result.vcpus = run.replay().vcpu_times();
        if (result.vcpus.empty()) result.vcpus = {result.whole()};
        result.locks = run.lock_uses();
        return result;
    }
    SideBySideResult operator()(const std::string& program) const {
        TextTraceReader source(program, {"program", 1, 1});
        return (*this)(source);
    }
};

/// The InputError that a program ends with; "no error" if it ends with none.
inline std::string error_of(const SideBySide& run, const std::string& program) {
    return nestwalk::error_of([&] { run(program); });
}

/// What a trace in the order of its records counts.
inline Counters replayed(const std::string& trace, const MachineParameters& machine,
                         const SystemParameters& system) {
    TextTraceReader source(trace, {"schedule", 1, 1});
    System simulated(machine, system);
    Replay replay(simulated, {});
    replay.run(source);
    return replay.statistics().whole();
}

}  // namespace nestwalk::test
