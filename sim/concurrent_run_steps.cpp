// What a vCPU among others does when its turn has come.

#include "sim/concurrent_run.h"

#include <algorithm>
#include <utility>

namespace nestwalk {

void ConcurrentRun::step(std::size_t number) {
    replay_.poll();
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.record != nullptr) line_ = vcpu.record->record.line;
    start(number);
    const Cycles arrival = vcpu.next_interrupt();
    const bool ready = vcpu.state == State::kReady;
    if (ready && vcpu.steal.next() <= std::min(vcpu.due, arrival)) return steal(number);
    if (arrival <= vcpu.due) return take_interrupt(number);
    if (vcpu.state == State::kGranted) return take_granted(number);
    if (vcpu.state == State::kAcknowledged) return end_shootdown(number);
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
        if (const auto* shootdown = std::get_if<Shootdown>(vcpu.operation)) {
            return shoot_down(number, *shootdown);
        }
    }
    finish_record(number, vcpu.record->record, vcpu.record->record);
}

/// One of many accesses: between two, others may come.
void ConcurrentRun::execute_access(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const auto& all = std::get<Access>(*vcpu.operation);
    auto& one = std::get<Access>(std::get<Operation>(vcpu.access.what));
    one.va = all.va + vcpu.done * all.stride;
    if (++vcpu.done == all.count) return finish_record(number, vcpu.access, vcpu.access);
    select(number, vcpu.access);
    execute(vcpu.access, vcpu.access);
}

/// What is left of it.
void ConcurrentRun::execute_compute(std::size_t number, const Compute& compute) {
    const ConcurrentVcpu& vcpu = vcpus_[number];
    Record rest = vcpu.record->record;
    rest.what = Operation(Compute{compute.core_cycles - vcpu.done});
    finish_record(number, rest, vcpu.record->record);
}

/// A record is done with, and so is what is about it. The last that is executed of it is
/// `executed`, which a schedule log has as `written`.
void ConcurrentRun::finish_record(std::size_t number, const Record& executed,
                                  const Record& written) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    const auto stream = static_cast<std::uint32_t>(number);
    begin_record(number);
    execute(executed, written);
    const bool leaves = vcpu.operation != nullptr && may_acknowledge(*vcpu.operation);
    bool joined = vcpu.record->joined;
    streams_.advance(stream);
    while (joined) {
        const auto& next = std::get<StreamRecord>(*streams_.here(stream));
        joined = next.joined;
        execute(next.record, next.record);
        streams_.advance(stream);
    }
    if (leaves) note_acknowledgements(number);
    look(number);
}

/// What comes before the first that is executed of a record.
void ConcurrentRun::begin_record(std::size_t number) {
    ConcurrentVcpu& vcpu = vcpus_[number];
    if (vcpu.operation != nullptr) select(number, vcpu.record->record);
    if (vcpu.watched() && log_ != nullptr) log_->separate();
    for (const Record& explanation : vcpu.explained) execute(explanation, explanation);
    vcpu.explained.clear();
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

}  // namespace nestwalk
