#pragma once

// Runs an experiment: builds the system, replays the workload, hands back what was counted.

#include "apps/experiment_file.h"
#include "apps/run_progress.h"
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

/// Which of the workload's top-level records are executed, and which of these are counted; a
/// `repeat` block is one.
struct RunPart {
    std::uint64_t skip{};             ///< passed over at the beginning
    std::uint64_t warm_up{};          ///< executed then, not counted
    std::uint64_t limit{UINT64_MAX};  ///< executed and counted then, at most

    bool operator==(const RunPart&) const = default;
};

/// What becomes of a run that `ReplayOptions::stop` ends.
enum class Stopped : std::uint8_t {
    kDiscarded,  ///< Interrupted is thrown
    kKept,       ///< what was counted until then is the result
};

struct RunControl {
    RunPart part{};
    Stopped stopped{};
    RunProgress* progress{};  ///< hears of what is read; may be null
};

struct RunResult {
    RunPart part{};  ///< what was to be counted
    Statistics statistics{};
    std::vector<std::string> failures{};  ///< expectations that did not hold
    std::uint64_t checked{};
    Narrative narrative{};
    std::uint64_t collapsed_iterations{};
    std::optional<BulkReport> replayed{};  ///< with the replay engine
    std::string first_fault{};             ///< empty if no translation faulted
    bool timed{};                          ///< the machine says how long things take
    std::vector<Counters> vcpus{};         ///< of each of several vCPUs: what a clock counts
    bool side_by_side{};                   ///< vCPUs had a common time
    std::vector<LockUse> locks{};          ///< then
    std::vector<std::string> notes{};      ///< what the user should know of the trace
    std::optional<ImportReport> import{};  ///< of a foreign trace
    std::optional<CutShort> cut_short{};   ///< the trace was not whole, and that was allowed
    /// Of a run that was stopped before its end: how many records it had read that are counted, the
    /// last of them perhaps executed in part.
    std::optional<std::uint64_t> stopped_after{};
};

/// Throws InputError for a workload that makes no sense, and for the cycle engine on a machine that
/// does not say how long things take or, of vCPUs side by side, for a warm-up; Interrupted when
/// `options.stop` was set.
RunResult run(const Experiment& experiment, const ReplayOptions& options,
              Engine engine = Engine::kReplay, const RunControl& control = {});
/// The same with the cycle engine; writes the order in which records were executed.
RunResult run(const Experiment& experiment, const ReplayOptions& options, ScheduleWriter& schedule,
              const RunControl& control = {});

/// The system that the workload leaves behind. Throws what `run` throws.
std::unique_ptr<System> system_after(const Experiment& experiment, const ReplayOptions& options);

}  // namespace nestwalk
