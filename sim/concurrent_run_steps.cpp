// What a vCPU among others does when its turn has come.

#include "sim/concurrent_run.h"

#include <algorithm>
#include <utility>

namespace nestwalk {

void ConcurrentRun::step(std::size_t number) {
    replay_.poll();
    ConcurrentVcpu& vcpu = vcpus_[number];
    line_ = vcpu.record->record.line;
    if (vcpu.state == State::kGranted) return take_granted(number);
    start(number);
    if (vcpu.steal.next() <= vcpu.due) return steal(number);
    execute_next(number);
}

/// A vCPU that has executed nothing yet begins when a barrier says so.
void ConcurrentRun::start(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (std::exchange(vcpu.started, true)) return;
    begin_at(number, vcpu.not_before);
}

void ConcurrentRun::begin_at(std::size_t number, Cycles time) {
    hold(number, time, CycleCause::kIdle);
    hold(number, vcpus_[number].steal.available(time), CycleCause::kSteal);
}

void ConcurrentRun::hold(std::size_t number, Cycles until, CycleCause cause) {
    if (until > clock_.frontier(number)) clock_.hold(number, until, cause, counters(number));
}

// --- Absences -----------------------------------------------------------------------------------

void ConcurrentRun::steal(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    compute_until(number, vcpu.steal.next());
    const Cycles end = clock_.drained(number) + vcpu.steal.duration();
    hold(number, end, CycleCause::kSteal);
    vcpu.steal.taken(end);
    ++counters(number)[counter::kSteals];
}

/// The part of a computation that comes before an interruption: whole cycles.
void ConcurrentRun::compute_until(std::size_t number, Cycles time) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.state != State::kReady || vcpu.way != Way::kCompute) return;
    const Cycles now = clock_.frontier(number);
    if (time <= now) return;
    const std::uint64_t left = std::get<Compute>(*vcpu.operation).core_cycles - vcpu.done;
    const std::int64_t whole = ((time - now).milli + Cycles::kScale - 1) / Cycles::kScale;
    const std::uint64_t part = std::min(left, static_cast<std::uint64_t>(whole));
    vcpu.done += part;
    hold(number, now + Cycles::whole(static_cast<std::int64_t>(part)), CycleCause::kBase);
}

// --- Records ------------------------------------------------------------------------------------

void ConcurrentRun::execute_next(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.way == Way::kOneByOne) return execute_access(number);
    if (vcpu.operation != nullptr) {
        if (const auto* lock = std::get_if<Lock>(vcpu.operation)) return take_lock(number, *lock);
        if (const auto* unlock = std::get_if<Unlock>(vcpu.operation)) {
            return give_back_lock(number, *unlock);
        }
        if (const auto* compute = std::get_if<Compute>(vcpu.operation)) {
            return execute_compute(number, *compute);
        }
    }
    finish_record(number, vcpu.record->record);
}

/// One of many accesses: between two, others may come.
void ConcurrentRun::execute_access(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const auto& all = std::get<Access>(*vcpu.operation);
    auto& one = std::get<Access>(std::get<Operation>(vcpu.access.what));
    one.va = all.va + vcpu.done * all.stride;
    if (++vcpu.done == all.count) return finish_record(number, vcpu.access);
    select(number, vcpu.access);
    execute(vcpu.access, vcpu.access);
}

/// What is left of it.
void ConcurrentRun::execute_compute(std::size_t number, const Compute& compute) {
    const ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.done == 0) return finish_record(number, vcpu.record->record);
    Record rest = vcpu.record->record;
    rest.what = Operation(Compute{compute.core_cycles - vcpu.done});
    finish_record(number, rest);
}

/// A record that executes as `executed` is done with, and so is what is about it.
void ConcurrentRun::finish_record(std::size_t number, const Record& executed) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const auto stream = static_cast<std::uint32_t>(number);
    if (vcpu.operation != nullptr) select(number, executed);
    if (vcpu.watched() && log_ != nullptr) log_->separate();
    for (const Record& explanation : vcpu.explained) execute(explanation, explanation);
    vcpu.explained.clear();
    const bool piece = vcpu.way == Way::kOneByOne;
    execute(executed, piece ? executed : vcpu.record->record);
    bool joined = vcpu.record->joined;
    streams_.advance(stream);
    while (joined) {
        const auto& next = std::get<StreamRecord>(*streams_.here(stream));
        joined = next.joined;
        execute(next.record, next.record);
        streams_.advance(stream);
    }
    look(number);
}

void ConcurrentRun::select(std::size_t number, const Record& on_behalf_of) {
    if (system_.current_vcpu() == number) return;
    Record cpu{.line = on_behalf_of.line, .column = on_behalf_of.column};
    cpu.what = Operation(SelectCpu{static_cast<std::uint32_t>(number)});
    execute(cpu, cpu);
}

void ConcurrentRun::execute(const Record& executed, const Record& written) {
    replay_.execute(executed);
    if (log_ != nullptr) log_->write(written);
}

// --- Locks --------------------------------------------------------------------------------------

void ConcurrentRun::take_lock(std::size_t number, const Lock& lock) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const Cycles now = vcpu.due;
    const std::uint64_t line = vcpu.record->record.line;
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
    finish_record(number, vcpu.record->record);  // which fails if it holds the lock already
}

void ConcurrentRun::give_back_lock(std::size_t number, const Unlock& unlock) {
    const Cycles now = vcpus_[number].due;
    const std::string name = unlock.name;
    finish_record(number, vcpus_[number].record->record);  // which fails if it does not hold it
    counters(number)[counter::kLocksHeld] +=
        static_cast<std::uint64_t>(locks_.give_back(name, now).milli);
    const std::optional<VcpuLocks::Waiter> next = locks_.hand_over(name);
    if (!next) return;
    ConcurrentVcpu& waiter = vcpus_[next->vcpu];
    waiter.state = State::kGranted;
    waiter.granted = std::max(now, clock_.frontier(next->vcpu));
    waiter.resumes = waiter.steal.available(waiter.granted);
    schedule(next->vcpu);
    others_changed_ = true;
}

void ConcurrentRun::take_granted(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    hold(number, vcpu.granted, CycleCause::kLock);
    if (vcpu.resumes > vcpu.granted) {
        hold(number, vcpu.resumes, CycleCause::kSteal);
        ++counters(number)[counter::kSteals];
    }
    const Cycles blocked = vcpu.resumes - vcpu.waits_since;
    locks_.taken(std::get<Lock>(*vcpu.operation).name, vcpu.resumes, blocked);
    Counters& counts = counters(number);
    ++counts[counter::kLocksAcquired];
    ++counts[counter::kLocksContended];
    counts[counter::kLocksBlocked] += static_cast<std::uint64_t>(blocked.milli);
    vcpu.state = State::kReady;
    finish_record(number, vcpu.record->record);
}

}  // namespace nestwalk
