// How vCPUs wait for one another: at locks, and for the vCPUs that a shootdown interrupts.

#include "sim/concurrent_run.h"

#include <algorithm>

namespace nestwalk {

// --- Locks --------------------------------------------------------------------------------------

void ConcurrentRun::take_lock(std::size_t number, const Lock& lock) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const Cycles now = vcpu.due;
    const std::uint64_t line = vcpu.record->record.line;
    if (lock.interrupts_off) vcpu.masking.push_back(lock.name);
    const VcpuLocks::Holder* const holder = locks_.holder(lock.name);
    if (holder != nullptr && holder->vcpu != number) {
        locks_.wait(lock.name, {number, now, line});
        vcpu.state = State::kWaitsForLock;
        vcpu.waits_since = now;
        return;
    }
    if (holder == nullptr) {
        locks_.take(lock.name, {number, now, line});
        ++counters(number)[counter::kLocksAcquired];
    }
    finish_record(number, vcpu.record->record,
                  vcpu.record->record);  // which fails if it holds the lock already
}

void ConcurrentRun::give_back_lock(std::size_t number, const Unlock& unlock) {
    const Cycles now = vcpus_[number].due;
    const std::string name = unlock.name;
    const Record& record = vcpus_[number].record->record;
    finish_record(number, record, record);  // which fails if it does not hold it
    std::erase(vcpus_[number].masking, name);
    counters(number)[counter::kLocksHeld] +=
        static_cast<std::uint64_t>(locks_.give_back(name, now).milli);
    const std::optional<VcpuLocks::Waiter> next = locks_.hand_over(name);
    if (!next) return;
    ConcurrentVcpu& waiter = vcpus_[next->vcpu];
    waiter.granted = now;
    resume(next->vcpu, State::kGranted);
}

/// What a vCPU waits for is there from `granted` on.
void ConcurrentRun::resume(std::size_t number, State state) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    vcpu.state = state;
    vcpu.granted = std::max(vcpu.granted, clock_.frontier(number));
    vcpu.resumes = vcpu.steal.available(vcpu.granted);
    schedule(number);
    others_changed_ = true;
}

/// It goes on, at last.
void ConcurrentRun::end_wait(std::size_t number, CycleCause cause) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    hold(number, vcpu.granted, cause);
    if (vcpu.resumes > clock_.frontier(number)) {
        hold(number, vcpu.resumes, CycleCause::kSteal);
        ++counters(number)[counter::kSteals];
    }
    vcpu.state = State::kReady;
}

void ConcurrentRun::take_granted(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    end_wait(number, CycleCause::kLock);
    const Cycles now = clock_.frontier(number);
    const Cycles blocked = now - vcpu.waits_since;
    locks_.taken(std::get<Lock>(*vcpu.operation).name, now, blocked);
    Counters& counts = counters(number);
    ++counts[counter::kLocksAcquired];
    ++counts[counter::kLocksContended];
    counts[counter::kLocksBlocked] += static_cast<std::uint64_t>(blocked.milli);
    finish_record(number, vcpu.record->record, vcpu.record->record);
}

// --- Shootdowns ---------------------------------------------------------------------------------

/// One interrupt after another is sent, and each is taken when it has come.
void ConcurrentRun::shoot_down(std::size_t number, const Shootdown& shootdown) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (shootdown.part == Shootdown::Part::kSend) {
        return finish_record(number, vcpu.record->record, vcpu.record->record);
    }
    vcpu.granted = {};
    if (shootdown.part == Shootdown::Part::kWhole) send_interrupts(number, shootdown);
    vcpu.awaited = system_.interrupted_by(number);
    vcpu.state = State::kInterrupting;
    if (vcpu.awaited.empty()) resume(number, State::kAcknowledged);
}

void ConcurrentRun::send_interrupts(std::size_t number, const Shootdown& shootdown) {
    const Record& record = vcpus_[number].record->record;
    Record send = record;
    std::get<Shootdown>(std::get<Operation>(send.what)).part = Shootdown::Part::kSend;
    begin_record(number);
    execute(send, send);
    Cycles arrival = clock_.drained(number);
    const std::vector<std::size_t> targets = system_.interrupted_by(number);
    const Record taken{
        .what = Operation(FlushRange{
            .range = shootdown.range, .remote = true, .from = static_cast<std::uint32_t>(number)}),
        .line = record.line,
        .column = record.column};
    for (std::size_t left = targets.size(); left > 0; --left) {
        auto& interrupts = vcpus_[targets[left - 1]].interrupts;
        const auto later = std::find_if(
            interrupts.begin(), interrupts.end(),
            [&](const ConcurrentVcpu::Interrupt& other) { return other.arrival > arrival; });
        interrupts.insert(later, {arrival, number, taken});
        schedule(targets[left - 1]);
        arrival = arrival - ipi_;
    }
    others_changed_ = true;
}

void ConcurrentRun::take_interrupt(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const ConcurrentVcpu::Interrupt interrupt = vcpu.interrupts.front();
    vcpu.interrupts.pop_front();
    if (vcpu.state == State::kReady) {
        compute_until(number, interrupt.arrival);
    } else {
        hold(number, interrupt.arrival, cause_of_wait(vcpu.state));
        hold(number, vcpu.steal.available(interrupt.arrival), CycleCause::kSteal);
    }
    line_ = interrupt.taken.line;
    select(number, interrupt.taken);
    execute(interrupt.taken, interrupt.taken);
    note_acknowledgement(interrupt.sender, number);
    vcpu.resumes = std::max(vcpu.resumes, clock_.frontier(number));
}

CycleCause ConcurrentRun::cause_of_wait(State state) {
    switch (state) {
        case State::kWaitsForLock:
        case State::kGranted:
            return CycleCause::kLock;
        case State::kInterrupting:
        case State::kAcknowledged:
            return CycleCause::kIpi;
        case State::kReady:
        case State::kAtBarrier:
        case State::kEnded:
            break;
    }
    return CycleCause::kIdle;
}

/// A vCPU takes an interrupt, or leaves the guest, where it takes none until it comes back.
bool ConcurrentRun::may_acknowledge(const Operation& operation) {
    const auto* flush = std::get_if<FlushRange>(&operation);
    return (flush != nullptr && flush->remote) || std::holds_alternative<VmExit>(operation);
}

void ConcurrentRun::note_acknowledgements(std::size_t number) {
    for (std::size_t sender = 0; sender < vcpus_.size(); ++sender) {
        note_acknowledgement(sender, number);
    }
}

/// A vCPU that waits for others to take its interrupts may have waited for this one as the last.
void ConcurrentRun::note_acknowledgement(std::size_t sender, std::size_t number) {
    ConcurrentVcpu& waiting = vcpus_[sender];
    const auto awaited = std::find(waiting.awaited.begin(), waiting.awaited.end(), number);
    if (awaited == waiting.awaited.end() || system_.has_interrupt(number, sender)) return;
    waiting.awaited.erase(awaited);
    waiting.granted = std::max(waiting.granted, clock_.drained(number));
    std::erase_if(vcpus_[number].interrupts, [&](const ConcurrentVcpu::Interrupt& interrupt) {
        return interrupt.sender == sender;
    });
    if (waiting.awaited.empty()) resume(sender, State::kAcknowledged);
}

void ConcurrentRun::end_shootdown(std::size_t number) {
    end_wait(number, CycleCause::kIpi);
    Record end = vcpus_[number].record->record;
    std::get<Shootdown>(std::get<Operation>(end.what)).part = Shootdown::Part::kEnd;
    finish_record(number, end, end);
}

}  // namespace nestwalk
