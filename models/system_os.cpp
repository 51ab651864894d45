// Where a record meets the policy of the operating system that runs. What the policy decides goes
// the way of records from there on, an operation at a time.

#include "models/operation_error.h"
#include "models/system.h"

#include <algorithm>
#include <type_traits>

namespace nestwalk {
namespace {

template <typename Record, typename... Ones>
constexpr bool is_one_of = (std::is_same_v<Record, Ones> || ...);

/// What only the kernel can execute.
template <typename Record>
constexpr bool is_privileged = is_one_of<Record, Invlpg, MovCr3, MovCr4, TogglePge, MovCr0,
                                         WrmsrEfer, Invpcid, Invlpgb, Tlbsync, WriteBackInvalidate>;

bool needs_os(const Operation& operation) {
    return std::holds_alternative<FlushRange>(operation) ||
           std::holds_alternative<Shootdown>(operation) ||
           std::holds_alternative<SwitchSpace>(operation);
}

[[noreturn]] void refuse_load(const char* record, const std::string& space) {
    throw OperationError(std::string(record) +
                         ": under system.os the operating system chooses what CR3 holds; write "
                         "'switch " +
                         space + "'");
}

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

void System::execute(const Operation& operation, OutcomeObserver& observer) {
    if (under_os()) return follow_policy(operation, observer);
    if (std::holds_alternative<Access>(operation)) return issue(operation, observer);
    if (needs_os(operation)) {
        throw OperationError(std::string(name_of(operation)) +
                             (os_.present() ? ": the host runs, and system.os is the guest's"
                                            : ": no operating system is chosen that would know "
                                              "how; set system.os.kind: linux or freebsd"));
    }
    if (const auto* load = std::get_if<VmcbCr3>(&operation); load && os_.present()) {
        refuse_load("vmcb-cr3", load->space);
    }
    issue(operation, observer);
    if (under_os()) take_pending(observer);
}

void System::follow_policy(const Operation& operation, OutcomeObserver& observer) {
    std::visit(
        [&]<typename Record>(const Record& record) {
            if constexpr (std::is_same_v<Record, Access>) {
                begin_access(record, observer);
            } else if constexpr (std::is_same_v<Record, SwitchSpace>) {
                return switch_space(record, observer);
            } else if constexpr (std::is_same_v<Record, FlushRange>) {
                return flush_range(record, observer);
            } else if constexpr (std::is_same_v<Record, Shootdown>) {
                return shoot_down(record, observer);
            } else if constexpr (std::is_same_v<Record, TaskSwitch>) {
                refuse_load("task-switch", record.space);
            } else if constexpr (std::is_same_v<Record, MovCr3>) {
                if (record.space || record.pcid || record.tables) {
                    refuse_load("mov-cr3", record.space.value_or("SPACE"));
                }
            }
            if constexpr (is_privileged<Record>) cross(Privilege::kKernel, observer);
            issue(operation, observer);
        },
        operation);
}

template <typename Decide>
void System::follow(Decide decide, OutcomeObserver& observer) {
    program_.clear();
    decide(os_place(), program_);
    for (const Operation& operation : program_) issue(operation, observer);
}

void System::cross(Privilege to, OutcomeObserver& observer) {
    if (!os_.parameters().pti) return;
    follow([&](const OsPlace& at, OsProgram& program) { os_.cross(at, to, program); }, observer);
}

void System::begin_access(const Access& access, OutcomeObserver& observer) {
    if (!under_os()) return;
    const bool of_user = access.privilege == Privilege::kUser || access.va.value() >> 63 == 0;
    if (of_user && registers().os.kernel_thread) {
        throw OperationError(std::string(name_of(access.kind)) +
                             ": a kernel thread runs, which has neither code nor addresses of a "
                             "user; 'switch SPACE' first");
    }
    cross(access.privilege, observer);
}

void System::switch_space(const SwitchSpace& record, OutcomeObserver& observer) {
    const std::size_t space = record.space ? find_space(running(), *record.space) : 0;
    cross(Privilege::kKernel, observer);
    issue(record, observer);
    follow(
        [&](const OsPlace& at, OsProgram& program) {
            if (record.space) {
                os_.switch_to(at, space, program);
            } else {
                os_.start_kernel_thread(at, program);
            }
        },
        observer);
}

void System::flush_range(const FlushRange& record, OutcomeObserver& observer) {
    if (record.remote) {
        return receive_shootdown(os_.begin_received(os_place(), record.range), observer);
    }
    const FlushRequest request = os_.begin(os_place(), record.range, FlushPart::kLocal);
    cross(Privilege::kKernel, observer);
    issue(record, observer);
    follow(
        [&](const OsPlace& at, OsProgram& program) {
            os_.broadcast(at, request, program);
            os_.flush_local(at, request, program);
        },
        observer);
}

// --- Shootdowns ---------------------------------------------------------------------------------

FlushRequest System::ask_for_shootdown(const Shootdown& record, OutcomeObserver& observer) {
    const FlushRequest request = os_.begin(os_place(), record.range, FlushPart::kRemote);
    cross(Privilege::kKernel, observer);
    follow([&](const OsPlace& at, OsProgram& program) { os_.broadcast(at, request, program); },
           observer);
    return request;
}

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

void System::receive_shootdown(const FlushRequest& request, OutcomeObserver& observer) {
    const Privilege interrupted =
        registers().tables == Tables::kUser ? Privilege::kUser : Privilege::kKernel;
    issue(FlushRange{.range = request.range, .remote = true}, observer);
    cross(Privilege::kKernel, observer);
    follow([&](const OsPlace& at, OsProgram& program) { os_.flush_remote(at, request, program); },
           observer);
    cross(interrupted, observer);
}

void System::end_shootdown(const FlushRequest& request, OutcomeObserver& observer) {
    follow([&](const OsPlace& at, OsProgram& program) { os_.sent(at, request, program); },
           observer);
}

/// In the order of the trace: each vCPU that is interrupted takes the interrupt at once, but for
/// one that has left the guest, which takes it when it comes back.
void System::shoot_down(const Shootdown& record, OutcomeObserver& observer) {
    require_others(record);
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

void System::take_pending(OutcomeObserver& observer) {
    std::vector<FlushRequest> pending;
    pending.swap(registers().os.pending);
    for (const FlushRequest& request : pending) receive_shootdown(request, observer);
}

void System::select_cpu(std::size_t cpu) {
    state_.current_cpu = cpu;
    enter_regime();
}

}  // namespace nestwalk
