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
            } else if constexpr (std::is_same_v<Record, VmExit>) {
                postpone_received();
            }
            if constexpr (is_privileged<Record>) cross(Privilege::kKernel, observer);
            issue(operation, observer);
        },
        operation);
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
        return receive_shootdown(take_received(record), observer);
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
