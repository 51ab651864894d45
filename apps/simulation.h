#pragma once

// Runs an experiment: builds the system, replays the workload, hands back what was counted.

#include "apps/experiment_file.h"
#include "sim/replay.h"
#include "traces/import_report.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// Which engine keeps the time; what happens is the same in both.
enum class Engine : std::uint8_t {
    kReplay,  ///< closed form; loops collapse
    kCycle,   ///< processes in SystemC, every iteration executed; one run at a time in a process
};

struct RunResult {
    Statistics statistics{};
    std::vector<std::string> failures{};  ///< expectations that did not hold
    std::uint64_t checked{};
    Narrative narrative{};
    std::uint64_t collapsed_iterations{};
    std::string first_fault{};             ///< empty if no translation faulted
    bool timed{};                          ///< the machine says how long things take
    std::optional<ImportReport> import{};  ///< of a foreign trace
};

/// Throws InputError for a workload that makes no sense, and for the cycle engine on a machine that
/// does not say how long things take; Interrupted when `options.stop` was set.
RunResult run(const Experiment& experiment, const ReplayOptions& options,
              Engine engine = Engine::kReplay);

/// The system that the workload leaves behind. Throws what `run` throws.
std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options);

}  // namespace nestwalk
