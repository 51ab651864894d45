#pragma once

// Runs a program written in a test with the cycle engine keeping the time.

#include "sim/cycle_engine.h"
#include "sim/replay.h"
#include "tests/models/machines.h"
#include "tests/sim/timed_run.h"
#include "traces/text_trace_reader.h"

#include <string>

namespace nestwalk::test {

struct CycleRun {
    MachineParameters machine{exact_machine()};
    TimingParameters timing{plain_core()};
    SystemParameters system{};

    Statistics statistics_of(const std::string& program) const {
        TextTraceReader source(program, {"program", 1, 1});
        System simulated(machine, system);
        CycleEngine engine(timing, system.vcpus);
        Replay replay(simulated, {.clock = &engine});
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

}  // namespace nestwalk::test
