// Shootdowns under an operating system: what the vCPU that asks executes, and those that it
// interrupts. In the order of a trace one record is all of it; where vCPUs run side by side, each
// part is a record of the vCPU that executes it.

#include "models/operation_error.h"
#include "models/system.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// A later flush of the same space makes both one of everything.
void add_pending(std::vector<FlushRequest>& pending, const FlushRequest& request) {
    for (FlushRequest& earlier : pending) {
        if (earlier.space != request.space) continue;
        const bool freed = earlier.range.freed_tables || request.range.freed_tables;
        earlier = request;
        earlier.range.freed_tables = freed;
        earlier.whole = true;
        return;
    }
    pending.push_back(request);
}

}  // namespace

/// The current vCPU asks for the part of a flush that is sent to others, and executes what reaches
/// them without an interrupt.
FlushRequest System::ask_for_shootdown(const Shootdown& record, OutcomeObserver& observer) {
    const FlushRequest request = os_.begin(os_place(), record.range, FlushPart::kRemote);
    cross(Privilege::kKernel, observer);
    follow([&](const OsPlace& at, OsProgram& program) { os_.broadcast(at, request, program); },
           observer);
    return request;
}

/// The vCPUs that it interrupts as things stand.
std::vector<std::uint32_t> System::targets(const FlushRequest& request, const Shootdown& record) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t cpu = 0; cpu < state_.vcpus.size(); ++cpu) {
        const bool named =
            std::find(record.cpus.begin(), record.cpus.end(), cpu) != record.cpus.end();
        if (cpu == state_.current_cpu || (!record.cpus.empty() && !named)) continue;
        if (os_.is_target(os_place().on(cpu), request)) found.push_back(cpu);
    }
    return found;
}

/// The current vCPU takes the interrupt.
void System::receive_shootdown(const FlushRequest& request, OutcomeObserver& observer) {
    const Privilege interrupted =
        registers().tables == Tables::kUser ? Privilege::kUser : Privilege::kKernel;
    issue(FlushRange{.range = request.range, .remote = true}, observer);
    cross(Privilege::kKernel, observer);
    follow([&](const OsPlace& at, OsProgram& program) { os_.flush_remote(at, request, program); },
           observer);
    cross(interrupted, observer);
}

/// Once they all have: what the vCPU that asked does then.
void System::end_shootdown(const FlushRequest& request, OutcomeObserver& observer) {
    follow([&](const OsPlace& at, OsProgram& program) { os_.sent(at, request, program); },
           observer);
}

/// In the order of the trace: each vCPU that is interrupted takes the interrupt at once, but for
/// one that has left the guest, which takes it when it comes back.
void System::shoot_down(const Shootdown& record, OutcomeObserver& observer) {
    if (record.part == Shootdown::Part::kEnd) return end_sent_shootdown(record, observer);
    require_others(record);
    if (record.part == Shootdown::Part::kSend) return send_shootdown(record, observer);
    const FlushRequest request = ask_for_shootdown(record, observer);
    const Shootdown sent{record.range, targets(request, record)};
    issue(sent, observer);
    const std::size_t sender = state_.current_cpu;
    const std::size_t os = vcpu().running;
    for (const std::uint32_t cpu : sent.cpus) {
        if (state_.vcpus[cpu].running != os) {
            add_pending(state_.vcpus[cpu].registers[os].os.pending, request);
            continue;
        }
        select_cpu(cpu);
        receive_shootdown(request, observer);
    }
    select_cpu(sender);
    end_shootdown(request, observer);
}

void System::send_shootdown(const Shootdown& record, OutcomeObserver& observer) {
    if (registers().os.sent) {
        throw OperationError(
            "shootdown: the vCPU has not ended the one that it sent before; "
            "expected a 'shootdown ... end'");
    }
    const FlushRequest request = ask_for_shootdown(record, observer);
    const std::size_t sender = state_.current_cpu;
    const std::size_t os = vcpu().running;
    Shootdown sent{record.range, {}, record.part};
    for (const std::uint32_t cpu : targets(request, record)) {
        OsCpu& target = state_.vcpus[cpu].registers[os].os;
        if (state_.vcpus[cpu].running != os) {
            add_pending(target.pending, request);
        } else {
            target.received.push_back({sender, request});
        }
        sent.cpus.push_back(cpu);
    }
    registers().os.sent = request;
    issue(sent, observer);
}

void System::end_sent_shootdown(const Shootdown& record, OutcomeObserver& observer) {
    std::optional<FlushRequest>& sent = registers().os.sent;
    if (!sent || sent->range != record.range) {
        throw OperationError(
            "shootdown: the vCPU has sent none of that range; expected a "
            "'shootdown ... send' before its end");
    }
    const std::vector<std::size_t> left = interrupted_by(state_.current_cpu);
    if (!left.empty()) {
        throw OperationError("shootdown: vCPU " + std::to_string(left.front()) +
                             " has not taken its interrupt; expected a 'flush-range ... remote' of "
                             "it before the end");
    }
    const FlushRequest request = *sent;
    sent.reset();
    end_shootdown(request, observer);
}

bool System::has_interrupt(std::size_t target, std::size_t sender) const {
    const Vcpu& vcpu = state_.vcpus[target];
    const std::vector<SentInterrupt>& received = vcpu.registers[vcpu.running].os.received;
    return std::any_of(received.begin(), received.end(),
                       [&](const SentInterrupt& sent) { return sent.sender == sender; });
}

std::vector<std::size_t> System::interrupted_by(std::size_t sender) const {
    std::vector<std::size_t> found;
    for (std::size_t cpu = 0; cpu < state_.vcpus.size(); ++cpu) {
        if (has_interrupt(cpu, sender)) found.push_back(cpu);
    }
    return found;
}

/// What the vCPU was interrupted for: by a vCPU that the record names, or by one that the trace
/// does not have.
FlushRequest System::take_received(const FlushRange& record) {
    if (!record.from) return os_.begin_received(os_place(), record.range);
    std::vector<SentInterrupt>& received = registers().os.received;
    const auto found =
        std::find_if(received.begin(), received.end(), [&](const SentInterrupt& sent) {
            return sent.sender == *record.from && sent.request.range == record.range;
        });
    if (found == received.end()) {
        throw OperationError("flush-range: vCPU " + std::to_string(*record.from) +
                             " has sent this vCPU no interrupt of that range; expected its "
                             "'shootdown ... send' before");
    }
    const FlushRequest request = found->request;
    received.erase(found);
    return request;
}

/// The vCPU leaves the guest, and takes its interrupts when it comes back. It does not leave where
/// a hypervisor answers an exit at once.
void System::postpone_received() {
    OsCpu& os = registers().os;
    for (const SentInterrupt& sent : os.received) add_pending(os.pending, sent.request);
    os.received.clear();
}

void System::require_others(const Shootdown& record) const {
    for (const std::uint32_t cpu : record.cpus) {
        if (cpu >= state_.vcpus.size()) {
            throw OperationError("shootdown: there is no cpu " + std::to_string(cpu) +
                                 ": system.vcpus is " + std::to_string(state_.vcpus.size()));
        }
        if (cpu == state_.current_cpu) {
            throw OperationError("shootdown: cpu " + std::to_string(cpu) +
                                 " is the one that sends; its own part is a flush-range");
        }
    }
}

}  // namespace nestwalk
