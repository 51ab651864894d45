// What instructions cost that are no accesses: rules 15 to 20.

#include "sim/core_timing.h"

#include <algorithm>

namespace nestwalk {

void CoreTiming::serialize(Cycles cost, Drain drain, CycleCause cause, Counters& counters) {
    Cycles start = std::max(dispatch_, time_stamp_ready_);
    if (drain == Drain::kBefore) start = std::max(start, retired_);
    TimeLine line = begin(start, counters);
    line.until(std::max(start + cost, retired_), cause);
    stall_dispatch(line.end());
    retire(line, counters);
}

/// It takes its time in dispatch and is complete with that.
void CoreTiming::hold_dispatch(Cycles length, CycleCause cause, Counters& counters) {
    TimeLine line = begin(dispatch_, counters);
    line.until(dispatch_ + length, cause);
    stall_dispatch(line.end());
    retire(line, counters);
}

void CoreTiming::hold(Cycles until, CycleCause cause, Counters& counters) {
    if (until > dispatch_) hold_dispatch(until - dispatch_, cause, counters);
    if (!fills_.empty()) fills_.forget_until(dispatch_);
}

struct CoreTiming::Executor {
    CoreTiming& core;
    const Outcome& outcome;
    const InstructionCosts& costs;
    Counters& counters;

    // --- Order and time -------------------------------------------------------------------------

    void operator()(const Compute& record) const {
        core.hold_dispatch(Cycles::whole(static_cast<std::int64_t>(record.core_cycles)),
                           CycleCause::kBase, counters);
    }
    void operator()(const Fence& record) const {
        if (record.kind == FenceKind::kMfence) {
            fence(core.retired_, core.parameters_.mfence);
        } else {
            fence(core.loads_done_, core.parameters_.lfence);
        }
    }
    // Rule 21.
    void operator()(const Lock&) const { fence(core.retired_, {}); }
    void operator()(const Unlock&) const { fence(core.retired_, {}); }
    void operator()(const ReadTimeStamp& record) const {
        if (record.after_loads) core.stall_dispatch(core.loads_done_);
        TimeLine line = core.begin(core.dispatch_, counters);
        core.retire(line, counters);
        if (core.has_read_tsc_) {
            const std::int64_t ticks = (line.start() - core.last_time_stamp_).milli *
                                       core.parameters_.tsc_mhz / core.parameters_.core_mhz;
            counters[counter::kTscBetweenReads] += static_cast<std::uint64_t>(ticks);
        }
        core.has_read_tsc_ = true;
        core.last_time_stamp_ = line.start();
        core.time_stamp_ready_ = line.start() + cycles(core.parameters_.rdtsc);
    }

    // --- Flushes --------------------------------------------------------------------------------

    void operator()(const Invlpg&) const { flush(costs.invlpg, core.parameters_.invlpg_drain); }
    void operator()(const MovCr3& record) const {
        flush(record.keep_entries ? costs.mov_cr3_noflush : costs.mov_cr3,
              core.parameters_.mov_cr3_drain);
    }
    void operator()(const TaskSwitch&) const {
        flush(costs.mov_cr3, core.parameters_.mov_cr3_drain);
    }
    void operator()(const MovCr4&) const {
        const FlushCounts& done = outcome.performed;
        const bool flushed = done.page + done.context + done.all > 0;
        flush(flushed ? costs.mov_cr4_flush : costs.mov_cr4, Drain::kBefore);
    }
    void operator()(const TogglePge&) const {
        serialize(cycles(costs.mov_cr4_flush) * 2, CycleCause::kFlush);
    }
    void operator()(const MovCr0&) const { flush(costs.mov_cr0, Drain::kBefore); }
    void operator()(const WrmsrEfer&) const { flush(costs.wrmsr_efer, Drain::kBefore); }
    void operator()(const Invpcid& record) const {
        const Drain drain =
            record.type == InvpcidType::kAddress ? core.parameters_.invlpg_drain : Drain::kBefore;
        flush(record.type == InvpcidType::kAddress         ? costs.invpcid_address
              : record.type == InvpcidType::kSingleContext ? costs.invpcid_single
                                                           : costs.invpcid_all,
              drain);
    }
    void operator()(const Invvpid&) const { flush(core.parameters_.invvpid, Drain::kBefore); }
    void operator()(const Invept&) const { flush(core.parameters_.invept, Drain::kBefore); }
    void operator()(const Invlpga&) const {
        flush(core.parameters_.invlpga, core.parameters_.invlpg_drain);
    }
    void operator()(const Invlpgb&) const {
        core.hold_dispatch(cycles(core.parameters_.invlpgb), CycleCause::kFlush, counters);
    }
    void operator()(const Tlbsync&) const { flush(core.parameters_.tlbsync, Drain::kBefore); }
    void operator()(const WriteBackInvalidate&) const {
        flush(core.parameters_.wbinvd, Drain::kBefore);
    }

    // --- Transitions ----------------------------------------------------------------------------

    void operator()(const VmEntry&) const {
        serialize(cycles(core.parameters_.vm_entry), CycleCause::kExit);
    }
    void operator()(const VmExit&) const {
        serialize(cycles(core.parameters_.vm_exit), CycleCause::kExit);
    }
    void operator()(const Vmfunc&) const { flush(core.parameters_.vmfunc, Drain::kBefore); }
    void operator()(const SystemManagementInterrupt&) const {
        serialize(cycles(core.parameters_.smi), CycleCause::kExit);
    }
    void operator()(const ResumeFromSmm&) const {
        serialize(cycles(core.parameters_.smi), CycleCause::kExit);
    }

    // --- Interrupts -----------------------------------------------------------------------------

    void operator()(const Shootdown&) const {
        if (outcome.ipis == 0) return;
        serialize(cycles(core.parameters_.ipi) * outcome.ipis, CycleCause::kIpi);
    }
    void operator()(const FlushRange& record) const {
        if (record.remote) serialize(cycles(core.parameters_.interrupt), CycleCause::kIpi);
    }

    /// Rule 20.
    template <typename Other>
    void operator()(const Other&) const {}

    Cycles cycles(Latency latency) const { return core.parameters_.cycles(latency); }
    void fence(Cycles earlier, Latency cost) const {
        TimeLine line = core.begin(std::max(core.dispatch_, earlier), counters);
        line.until(line.start() + cycles(cost), CycleCause::kFence);
        core.stall_dispatch(line.end());
        core.retire(line, counters);
    }
    void flush(Latency cost, Drain drain) const {
        core.serialize(cycles(cost), drain, CycleCause::kFlush, counters);
    }
    void serialize(Cycles cost, CycleCause cause) const {
        core.serialize(cost, Drain::kBefore, cause, counters);
    }
};

void CoreTiming::operation(const Operation& operation, const Outcome& outcome, Place place,
                           Counters& counters) {
    const bool transition =
        std::holds_alternative<VmExit>(operation) || std::holds_alternative<VmEntry>(operation);
    if (outcome.fault.raised()) {
        serialize(parameters_.cycles(parameters_.fault), Drain::kBefore, CycleCause::kFault,
                  counters);
    } else if (outcome.exits > 0 && !transition) {
        const Cycles round_trip =
            parameters_.cycles(parameters_.vm_exit) + parameters_.cycles(parameters_.vm_entry);
        serialize(round_trip * outcome.exits, Drain::kBefore, CycleCause::kExit, counters);
    } else {
        const InstructionCosts& costs =
            place == Place::kGuest ? parameters_.guest : parameters_.bare;
        std::visit(Executor{*this, outcome, costs, counters}, operation);
    }
    if (!fills_.empty()) fills_.forget_until(dispatch_);
}

}  // namespace nestwalk
