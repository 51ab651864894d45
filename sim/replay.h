#pragma once

// The replay engine: takes a trace's items in order, executes them on a system and counts. Loops
// collapse: at the end of an iteration whose state equals that of an earlier one, the iterations
// left are multiplied out instead of executed, which changes no number.

#include "models/operation_error.h"
#include "models/system.h"
#include "sim/bulk_queue.h"
#include "sim/bulk_report.h"
#include "sim/cascade.h"
#include "sim/clock.h"
#include "sim/core_timing.h"
#include "sim/expectations.h"
#include "sim/last_operation.h"
#include "sim/narrative.h"
#include "sim/statistics.h"
#include "sim/timing_parameters.h"
#include "traces/record.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

enum class LoopCollapse : std::uint8_t { kOn, kOff };
enum class Checking : std::uint8_t { kOn, kOff };
/// Whether plain accesses are translated many at a time, which changes no number.
enum class Bulk : std::uint8_t { kOn, kOff };

/// Hears of every translation and operation in program order, with the time at which it completed;
/// nothing where no time is kept. Of plain accesses it may hear together.
class ReplayLog {
public:
    ReplayLog() = default;
    ReplayLog(const ReplayLog&) = delete;
    ReplayLog& operator=(const ReplayLog&) = delete;
    virtual ~ReplayLog() = default;

    virtual void translation(std::size_t vcpu, const Access& access, VirtAddr va,
                             const Outcome& outcome, std::optional<Cycles> completed) = 0;
    virtual void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                           std::optional<Cycles> completed) = 0;
    /// What was heard so far is not counted.
    virtual void restart() {}

    /// How many plain accesses it can be told of together from here on; 0: it is to hear of each.
    virtual std::uint64_t takes_together() const { return 0; }
    /// So many at most, one after another on one vCPU: what was counted of them, and the latest
    /// time at which anything on this vCPU completed so far.
    virtual void accesses(std::size_t /*vcpu*/, std::span<const PackedAccess> /*accesses*/,
                          const Counters& /*counted*/, std::optional<Cycles> /*completed*/) {}
};

struct ReplayOptions {
    LoopCollapse loop_collapse{};
    Bulk bulk{};
    Checking checking{Checking::kOff};
    /// How long things take; null, or not enabled: no time is kept.
    const TimingParameters* timing{};
    /// Keeps the time instead; loops are not collapsed.
    Clock* clock{};
    /// With one, loops are not collapsed.
    ReplayLog* log{};
    /// Set from outside to stop the replay.
    const std::atomic<bool>* stop{};
};

/// Thrown when the replay was stopped from outside.
struct Interrupted {};

class Replay final : private OutcomeObserver {
public:
    /// `system` must outlive the replay.
    Replay(System& system, const ReplayOptions& options);

    /// Executes the whole trace. Throws InputError at records that make no sense, Interrupted when
    /// stopped.
    void run(TraceSource& source);

    // The same, record by record, for who chooses the order.

    /// `source_name` is for errors.
    void begin(const std::string& source_name) { source_name_ = source_name; }
    void execute(const Record& record) { this->record(record); }
    void finish();
    /// After finish(): counts begin anew, and time goes on. What was executed so far has warmed up.
    void restart();
    /// Throws Interrupted when stopped.
    void poll() const;
    /// Where the time of a vCPU is counted.
    Counters& times_of(std::size_t vcpu) {
        return times_.empty() ? statistics_.current() : times_[vcpu];
    }

    /// Of each vCPU of several, once all is executed: what only a clock counts.
    const std::vector<Counters>& vcpu_times() const { return whole_times_; }

    const Statistics& statistics() const { return statistics_; }
    /// Expectations that did not hold: "FILE:LINE:COLUMN: expect ...: what was found".
    const std::vector<std::string>& failures() const { return failures_; }
    std::uint64_t checked() const { return checked_; }
    /// The operations that the trace explains; of those in a `repeat`, as its first iteration met
    /// them.
    const Narrative& narrative() const { return narrative_; }
    /// The first translation that faulted, "FILE:LINE: load 0x1000 by user code: page-fault, ...";
    /// empty if none did.
    const std::string& first_fault() const { return first_fault_; }
    /// Iterations that were multiplied out.
    std::uint64_t collapsed_iterations() const { return collapsed_iterations_; }
    const BulkReport& bulk_report() const { return bulk_report_; }

private:
    struct Boundary;

    void on_translation(const Access& access, VirtAddr va, const Outcome& outcome) override;
    void on_operation(const Operation& operation, const Outcome& outcome) override;

    void item(const TraceItem& item);
    void record(const Record& record);
    void operation(const Record& record, const Operation& operation);
    void repeat(const RepeatBlock& block);
    void iterate(const RepeatBlock& block);
    void multiply(const Boundary& since, std::uint64_t rounds, const RepeatBlock& block);
    void judge(const Record& record, const Expectation& expectation);
    void enter_phase(const std::string& name);
    bool returned_to(const Boundary& earlier);
    std::optional<Cycles> completed();
    bool collapsible(const RepeatBlock& block);
    void settle_times();
    void add_times();

    // replay_bulk.cpp
    using PlaceOf = std::function<RecordPlace(std::size_t index)>;
    OneAtATime bulk_obstacle();
    Cascade& cascade();
    std::size_t few_accesses() const;
    /// False if the record's accesses are to be executed now.
    bool queue(const Record& record, const Access& access);
    void flush_queue();
    /// Before anything is executed or asked for that is no plain access.
    void settle_accesses();
    void run_accesses(const AccessRun& run);
    void translate(std::span<const PackedAccess> accesses, const PlaceOf& place_of);
    CascadeProgress translate_some(std::span<const PackedAccess> accesses, const PlaceOf& place_of);
    std::size_t taken_together() const;
    void tell_log(std::span<const PackedAccess> accesses, const Counters& before);
    void execute_one(const PackedAccess& access, RecordPlace place, OneAtATime reason);
    OneAtATime reason_for(const Access& access) const;
    void note_dirty(VirtAddr va, const Outcome& outcome);
    [[noreturn]] void refuse(RecordPlace place, const OperationError& error) const;

    System& system_;
    ReplayOptions options_;
    std::vector<CoreTiming> cores_{};  ///< one a vCPU; none where no time is kept here
    Statistics statistics_{};
    std::vector<Counters> times_{};        ///< one a vCPU of several, not yet in statistics_
    std::vector<Counters> whole_times_{};  ///< those that are
    Expectations expectations_{};
    Narrative narrative_{};
    LastOperation last_{};
    bool watching_{};              ///< something asks what the operation was
    std::uint32_t repetitions_{};  ///< repeats around the record whose first iteration is over
    std::string source_name_{};
    std::uint64_t line_{};  ///< of the record being executed
    std::string first_fault_{};
    std::vector<std::string> failures_{};
    std::uint64_t checked_{};
    std::uint64_t collapsed_iterations_{};
    std::vector<std::unique_ptr<Cascade>> cascades_{};  ///< one a vCPU, once it has accesses
    OneAtATime obstacle_{};
    BulkQueue queue_{};
    std::uint64_t run_{};  ///< accesses since the last other record
    int short_runs_{};     ///< that were executed last, one after another
    BulkReport bulk_report_{};
    std::uint64_t events_{};
};

}  // namespace nestwalk
