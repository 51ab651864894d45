#pragma once

// Runs a program written in a test on a machine and a core made in code, and hands back what was
// counted.

#include "sim/cycle_engine.h"
#include "sim/replay.h"
#include "tests/models/machines.h"
#include "traces/text_trace_reader.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nestwalk::test {

constexpr Latency core_cycles(std::int64_t cycles) { return {cycles * 1000, ClockDomain::kCore}; }

/// A core on which nothing takes time but what a test says: wide, deep, one walker.
inline TimingParameters plain_core() {
    TimingParameters timing;
    timing.enabled = true;
    timing.core_mhz = timing.tsc_mhz = 1000;
    timing.issue_width = 16;
    timing.load_ports = timing.store_ports = 8;
    timing.reorder_entries = 4096;
    timing.outstanding_misses = 256;
    timing.walkers = 1;
    return timing;
}

/// Who keeps the time.
enum class TimeKeeper : std::uint8_t { kReplay, kCycleEngine };

struct TimedRun {
    MachineParameters machine{exact_machine()};
    TimingParameters timing{plain_core()};
    SystemParameters system{};
    LoopCollapse loop_collapse{LoopCollapse::kOff};
    TimeKeeper keeper{};

    Statistics statistics_of(const std::string& program) const {
        TextTraceReader source(program, {"program", 1, 1});
        System simulated(machine, system);
        std::optional<CycleEngine> engine;
        if (keeper == TimeKeeper::kCycleEngine) engine.emplace(timing, system.vcpus);
        Replay replay(simulated, {.loop_collapse = loop_collapse,
                                  .timing = &timing,
                                  .clock = engine ? &*engine : nullptr});
        replay.run(source);
        return replay.statistics();
    }
    Counters operator()(const std::string& program) const { return statistics_of(program).whole(); }
    /// Of the phase "measured".
    Counters measured(const std::string& program) const {
        for (const Phase& phase : statistics_of(program).phases()) {
            if (phase.name == "measured") return phase.counters;
        }
        return {};
    }
};

/// The same with the cycle engine.
struct CycleRun : TimedRun {
    CycleRun() { keeper = TimeKeeper::kCycleEngine; }
};

/// A counter of time, in whole and broken units.
inline double time_of(const Counters& counters, std::size_t index) {
    return static_cast<double>(counters[index]) / 1000;
}
inline double cycles(const Counters& counters) { return time_of(counters, counter::kCycles); }
inline double cycles(const Counters& counters, CycleCause cause) {
    return time_of(counters, counter::kCyclesByCause + static_cast<std::size_t>(cause));
}
/// Of all walks, summed.
inline double walk_cycles(const Counters& counters) {
    return time_of(counters, counter::kWalkPending);
}

}  // namespace nestwalk::test
