#include "sim/concurrent_run.h"
#include "models/digest.h"
#include "models/operation_error.h"
#include "traces/source_location.h"

#include <algorithm>

namespace nestwalk {
namespace {

ReplayOptions with_clock(ReplayOptions options, Clock& clock) {
    options.clock = &clock;
    return options;
}

}  // namespace

ConcurrentRun::ConcurrentRun(System& system, VcpuStreams& streams, const ReplayOptions& options,
                             const ScheduleParameters& schedule, ScheduleWriter* log)
    : system_(system),
      streams_(streams),
      clock_(*options.clock, system.state().vcpus.size()),
      replay_(system, with_clock(options, clock_)),
      log_(log),
      ipi_(options.timing->cycles(options.timing->ipi)),
      tie_seed_(schedule.seed),
      random_(schedule.seed) {
    for (std::size_t number = 0; number < system.state().vcpus.size(); ++number) {
        vcpus_.push_back({.steal = StealTimes(schedule.steal, *options.timing, number)});
    }
}

void ConcurrentRun::run() {
    replay_.begin(streams_.name());
    try {
        run_streams();
        replay_.finish();
    } catch (const OperationError& error) {
        // What no record does by itself: time that would overflow while a vCPU waits.
        throw InputError({streams_.name(), line_, 0}, error.what());
    }
    if (log_ != nullptr) log_->finish();
}

void ConcurrentRun::finish_early() {
    replay_.finish();
    if (log_ != nullptr) log_->finish();
}

void ConcurrentRun::run_streams() {
    look_all();
    while (true) {
        const std::optional<std::size_t> picked = pick();
        if (!picked) {
            if (!go_on_together()) return;
            continue;
        }
        do {
            step(*picked);
            schedule(*picked);
        } while (goes_on(*picked));
    }
}

// --- Which --------------------------------------------------------------------------------------

/// The one whose next step is due first. Of several, the one with the lowest number, or any.
std::optional<std::size_t> ConcurrentRun::pick() {
    next_due_ = kNever;
    std::size_t picked = 0;
    Cycles due = kNever;
    std::uint64_t alike = 0;
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        const Cycles own = vcpus_[number].due;
        if (own == kNever) continue;
        if (own < due) {
            alike = 1;
        } else if (own == due && tie_seed_ != 0) {
            random_ = mix(random_);
            if (random_ % ++alike != 0) {
                next_due_ = own;
                continue;
            }
        } else {
            if (own < next_due_) {
                next_due_ = own;
                next_number_ = number;
            }
            continue;
        }
        next_due_ = due;
        next_number_ = picked;
        picked = number;
        due = own;
    }
    others_changed_ = false;
    if (due == kNever) return std::nullopt;
    return picked;
}

/// It would be picked again.
bool ConcurrentRun::goes_on(std::size_t number) const {
    const Cycles due = vcpus_[number].due;
    if (others_changed_ || due == kNever) return false;
    return due < next_due_ || (due == next_due_ && tie_seed_ == 0 && number < next_number_);
}

// --- When ---------------------------------------------------------------------------------------

Cycles ConcurrentRun::local_time(std::size_t number) {
    const ConcurrentVcpu& vcpu = vcpus_[number];
    return vcpu.started ? clock_.frontier(number) : vcpu.not_before;
}

/// What a vCPU does next, its record before being done with.
void ConcurrentRun::look(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    vcpu.record = nullptr;
    const StreamItem* item = streams_.here(static_cast<std::uint32_t>(number));
    while (item != nullptr) {
        const auto* record = std::get_if<StreamRecord>(item);
        if (record == nullptr) break;
        const bool explains = std::holds_alternative<Explanation>(record->record.what);
        if (!explains || !record->joined) {
            return take_record(number, *record);
        }
        vcpu.explained.push_back(record->record);
        streams_.advance(static_cast<std::uint32_t>(number));
        item = streams_.here(static_cast<std::uint32_t>(number));
    }
    vcpu.state = item == nullptr ? State::kEnded : State::kAtBarrier;
}

void ConcurrentRun::look_all() {
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        look(number);
        schedule(number);
    }
}

void ConcurrentRun::take_record(std::size_t number, const StreamRecord& record) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    vcpu.state = State::kReady;
    vcpu.way = Way::kAtOnce;
    vcpu.record = &record;
    vcpu.operation = std::get_if<Operation>(&record.record.what);
    vcpu.done = 0;
    if (vcpu.operation == nullptr) return;
    if (const auto* access = std::get_if<Access>(vcpu.operation)) {
        if (access->count < 2 || vcpu.watched()) return;
        vcpu.way = Way::kOneByOne;
        vcpu.access = record.record;
        std::get<Access>(std::get<Operation>(vcpu.access.what)).count = 1;
    } else if (std::holds_alternative<Compute>(*vcpu.operation)) {
        vcpu.way = Way::kCompute;
    } else if (std::holds_alternative<Lock>(*vcpu.operation) ||
               std::holds_alternative<Unlock>(*vcpu.operation) ||
               std::holds_alternative<Shootdown>(*vcpu.operation) ||
               std::holds_alternative<FlushRange>(*vcpu.operation) ||
               std::holds_alternative<Tlbsync>(*vcpu.operation)) {
        vcpu.way = Way::kOrdering;
    }
}

void ConcurrentRun::schedule(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    switch (vcpu.state) {
        case State::kReady:
            vcpu.due = record_due(number);
            break;
        case State::kGranted:
        case State::kAcknowledged:
            vcpu.due = vcpu.resumes;
            break;
        default:
            vcpu.due = kNever;
    }
    const Cycles arrival = vcpu.next_interrupt();
    if (arrival == kNever) return;
    vcpu.due = std::min(vcpu.due, std::max(local_time(number), arrival));
}

/// Of a vCPU that is ready for its next record; an absence may come first.
Cycles ConcurrentRun::record_due(std::size_t number) {
    const ConcurrentVcpu& vcpu = vcpus_[number];
    const Cycles now = local_time(number);
    Cycles due = now;
    if (vcpu.way == Way::kOrdering && vcpu.started) {
        due = clock_.drained(number);
    } else if (vcpu.way == Way::kCompute) {
        const std::uint64_t left = std::get<Compute>(*vcpu.operation).core_cycles - vcpu.done;
        due = now + Cycles::whole(static_cast<std::int64_t>(left));
    }
    return std::min(due, std::max(now, vcpu.steal.next()));
}

// --- All of them --------------------------------------------------------------------------------

/// When no step of any vCPU is due; false at the end of the trace.
bool ConcurrentRun::go_on_together() {
    const auto all = [&](State state) {
        return std::all_of(vcpus_.begin(), vcpus_.end(),
                           [&](const ConcurrentVcpu& vcpu) { return vcpu.state == state; });
    };
    if (all(State::kAtBarrier)) {
        pass_barrier();
        return true;
    }
    if (look_again()) return true;
    if (all(State::kEnded)) return false;
    report_deadlock();
}

/// vCPUs that had nothing to do may have come to a barrier, now that more has been read.
bool ConcurrentRun::look_again() {
    bool changed = false;
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        if (vcpus_[number].state != State::kEnded) continue;
        look(number);
        schedule(number);
        changed = changed || vcpus_[number].state != State::kEnded;
    }
    return changed;
}

/// All have reached it; those that come first wait for the last.
void ConcurrentRun::pass_barrier() {
    Cycles reached{};
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        reached = std::max(reached, local_time(number));
    }
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        ConcurrentVcpu& vcpu = vcpus_[number];
        vcpu.not_before = reached;
        if (vcpu.started) begin_at(number, reached);
    }
    const auto barrier = std::get<std::shared_ptr<const Barrier>>(*streams_.here(0));
    const std::uint32_t on = streams_.barrier_on(0);
    for (const Record& record : barrier->records) {
        if (std::holds_alternative<Operation>(record.what)) select(on, record);
        execute(record, record);
    }
    streams_.pass_barrier();
    look_all();
}

void ConcurrentRun::report_deadlock() const {
    std::string text = "deadlock:";
    const Record* first = nullptr;
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        const State state = vcpus_[number].state;
        if (state != State::kWaitsForLock && state != State::kInterrupting) continue;
        text += (first == nullptr ? " vCPU " : "; vCPU ") + std::to_string(number) +
                " waits in line " + std::to_string(vcpus_[number].record->record.line) + " for " +
                waits_for(number);
        if (first == nullptr) first = &vcpus_[number].record->record;
    }
    for (std::size_t number = 0; number < vcpus_.size(); ++number) {
        if (!streams_.let_off(static_cast<std::uint32_t>(number))) continue;
        text += "; vCPU " + std::to_string(number) +
                " has no record among those that are read ahead, at most " +
                std::to_string(VcpuStreams::kMostWaiting);
    }
    throw InputError({streams_.name(), first->line, first->column}, text);
}

/// "lock 'a', which vCPU 0 took in line 3".
std::string ConcurrentRun::waits_for(std::size_t number) const {
    const ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.state == State::kInterrupting) {
        const std::size_t number_of_target = vcpu.awaited.front();
        const ConcurrentVcpu& target = vcpus_[number_of_target];
        const std::string text =
            "vCPU " + std::to_string(number_of_target) + " to take its interrupt";
        if (!target.masking.empty()) {
            return text + ", which has them off since it asked for lock '" +
                   target.masking.front() + "'";
        }
        return target.state == State::kEnded ? text + ", and it has no more records" : text;
    }
    const std::string& name = std::get<Lock>(*vcpu.operation).name;
    const VcpuLocks::Holder& holder = *locks_.holder(name);
    const std::string text = "lock '" + name + "', which vCPU " + std::to_string(holder.vcpu) +
                             " took in line " + std::to_string(holder.line);
    switch (vcpus_[holder.vcpu].state) {
        case State::kEnded:
            return text + " and never unlocks";
        case State::kAtBarrier:
            return text + " and holds at a barrier";
        default:
            return text;
    }
}

}  // namespace nestwalk
