#pragma once

// Runs an experiment: builds the system, replays the workload, hands back what was counted.

#include "apps/experiment_file.h"
#include "sim/replay.h"
#include "sim/vcpu_locks.h"
#include "traces/import_report.h"
#include "traces/schedule_writer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// Which engine keeps the time. On one vCPU, what happens is the same in both; of several, replay
/// keeps the order of the trace.
enum class Engine : std::uint8_t {
    kReplay,  ///< closed form; loops collapse
    kCycle,   ///< processes in SystemC, every iteration executed; vCPUs run side by side
};

struct RunResult {
    Statistics statistics{};
    std::vector<std::string> failures{};  ///< expectations that did not hold
    std::uint64_t checked{};
    Narrative narrative{};
    std::uint64_t collapsed_iterations{};
    std::string first_fault{};             ///< empty if no translation faulted
    bool timed{};                          ///< the machine says how long things take
    std::vector<Counters> vcpus{};         ///< of each of several vCPUs: what a clock counts
    bool side_by_side{};                   ///< vCPUs had a common time
    std::vector<LockUse> locks{};          ///< then
    std::vector<std::string> notes{};      ///< what the user should know of the trace
    std::optional<ImportReport> import{};  ///< of a foreign trace
    std::optional<CutShort> cut_short{};   ///< the trace was not whole, and that was allowed
};

/// Throws InputError for a workload that makes no sense, and for the cycle engine on a machine that
/// does not say how long things take; Interrupted when `options.stop` was set.
RunResult run(const Experiment& experiment, const ReplayOptions& options,
              Engine engine = Engine::kReplay);
/// The same with the cycle engine; writes the order in which records were executed.
RunResult run(const Experiment& experiment, const ReplayOptions& options, ScheduleWriter& schedule);

/// The system that the workload leaves behind. Throws what `run` throws.
std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options);

}  // namespace nestwalk
