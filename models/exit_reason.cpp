#include "models/exit_reason.h"

namespace nestwalk {

const char* name_of(ExitReason reason) {
    switch (reason) {
        case ExitReason::kMovCr3:
            return "mov-cr3";
        case ExitReason::kInvlpg:
            return "invlpg";
        case ExitReason::kInvpcid:
            return "invpcid";
        case ExitReason::kMovCr4:
            return "mov-cr4";
        case ExitReason::kMovCr0:
            return "mov-cr0";
        case ExitReason::kWrmsr:
            return "wrmsr";
        case ExitReason::kTaskSwitch:
            return "task-switch";
        case ExitReason::kVmInstruction:
            return "vm-instruction";
        case ExitReason::kPageFault:
            return "page-fault";
        case ExitReason::kEptViolation:
            return "ept-violation";
        case ExitReason::kEptMisconfiguration:
            return "ept-misconfiguration";
        case ExitReason::kNestedPageFault:
            return "npf";
        case ExitReason::kTableWrite:
            return "table-write";
        case ExitReason::kOther:
            return "other";
    }
    return "";
}

ExitReason exit_reason_named(std::string_view word) {
    for (std::size_t index = 0; index < kExitReasons; ++index) {
        const auto reason = static_cast<ExitReason>(index);
        if (word == name_of(reason)) return reason;
    }
    return ExitReason::kOther;
}

ExitReason exit_reason_of(FaultKind fault) { return exit_reason_named(name_of(fault)); }

ExitReason exit_reason_of(const Operation& operation) {
    if (const auto* exit = std::get_if<VmExit>(&operation)) return exit_reason_named(exit->reason);
    if (std::holds_alternative<Invvpid>(operation) || std::holds_alternative<Invept>(operation) ||
        std::holds_alternative<Invlpga>(operation)) {
        return ExitReason::kVmInstruction;
    }
    return exit_reason_named(name_of(operation));
}

}  // namespace nestwalk
