#pragma once

// Runs vCPUs side by side: the vCPU whose local time is least executes its next record, what
// happens and how long it takes together. Locks let one vCPU at a time on, in the order in which
// they came. The rules are those of docs/timing.md, "Several vCPUs". Who keeps the time is a
// `Clock`; the order follows from its answers alone.

#include "models/system.h"
#include "sim/broadcast_clock.h"
#include "sim/concurrent_vcpu.h"
#include "sim/replay.h"
#include "sim/schedule_parameters.h"
#include "sim/vcpu_locks.h"
#include "traces/schedule_writer.h"
#include "traces/vcpu_streams.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

class ConcurrentRun {
public:
    /// `options.clock` keeps the time, at the values of `options.timing`. Whatever is referred to
    /// must outlive the run; `log` may be null.
    ConcurrentRun(System& system, VcpuStreams& streams, const ReplayOptions& options,
                  const ScheduleParameters& schedule, ScheduleWriter* log);

    /// Executes all streams. Throws what Replay::run throws, and InputError where all vCPUs wait.
    void run();
    /// After run() was interrupted: all that was done until then is counted, and in the log.
    void finish_early();

    const Replay& replay() const { return replay_; }
    std::vector<LockUse> lock_uses() const { return locks_.uses(); }

private:
    using State = ConcurrentVcpu::State;
    using Way = ConcurrentVcpu::Way;

    static constexpr Cycles kNever = StealTimes::kNever;

    // concurrent_run.cpp: which vCPU, and when.
    void run_streams();
    std::optional<std::size_t> pick();
    bool goes_on(std::size_t number) const;
    void look(std::size_t number);
    void look_all();
    void take_record(std::size_t number, const StreamRecord& record);
    void schedule(std::size_t number);
    Cycles record_due(std::size_t number);
    Cycles local_time(std::size_t number);
    bool go_on_together();
    bool look_again();
    void pass_barrier();
    [[noreturn]] void report_deadlock() const;
    std::string waits_for(std::size_t number) const;

    // concurrent_run_steps.cpp: what it does.
    void step(std::size_t number);
    void steal(std::size_t number);
    void compute_until(std::size_t number, Cycles time);
    void start(std::size_t number);
    void begin_at(std::size_t number, Cycles time);
    void hold(std::size_t number, Cycles until, CycleCause cause);
    void execute_next(std::size_t number);
    void execute_access(std::size_t number);
    void execute_compute(std::size_t number, const Compute& compute);
    void begin_record(std::size_t number);
    void finish_record(std::size_t number, const Record& executed, const Record& written);
    void select(std::size_t number, const Record& on_behalf_of);
    void execute(const Record& executed, const Record& written);
    Counters& counters(std::size_t number) { return replay_.times_of(number); }

    // concurrent_run_waits.cpp: how it waits for others.
    void take_lock(std::size_t number, const Lock& lock);
    void take_granted(std::size_t number);
    void give_back_lock(std::size_t number, const Unlock& unlock);
    void resume(std::size_t number, State state);
    void end_wait(std::size_t number, CycleCause cause);
    void shoot_down(std::size_t number, const Shootdown& shootdown);
    void send_interrupts(std::size_t number, const Shootdown& shootdown);
    void take_interrupt(std::size_t number);
    static CycleCause cause_of_wait(State state);
    static bool may_acknowledge(const Operation& operation);
    void note_acknowledgements(std::size_t number);
    void note_acknowledgement(std::size_t sender, std::size_t number);
    void end_shootdown(std::size_t number);

    System& system_;
    VcpuStreams& streams_;
    BroadcastClock clock_;
    Replay replay_;
    ScheduleWriter* log_;
    VcpuLocks locks_{};
    std::vector<ConcurrentVcpu> vcpus_{};
    Cycles ipi_;
    std::uint64_t tie_seed_;
    std::uint64_t random_;
    // Of the vCPUs that were not picked.
    Cycles next_due_{};
    std::size_t next_number_{};
    bool others_changed_{};
    std::uint64_t line_{};  ///< of the record that is executed, for errors
};

}  // namespace nestwalk
