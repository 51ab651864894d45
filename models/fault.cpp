#include "models/fault.h"

namespace nestwalk {

const char* name_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::kNone:
            return "";
        case FaultKind::kPageFault:
            return "page-fault";
        case FaultKind::kGeneralProtection:
            return "gp";
        case FaultKind::kInvalidOpcode:
            return "ud";
        case FaultKind::kEptViolation:
            return "ept-violation";
        case FaultKind::kEptMisconfiguration:
            return "ept-misconfiguration";
        case FaultKind::kNestedPageFault:
            return "npf";
        case FaultKind::kVmFail:
            return "vmfail";
        case FaultKind::kInvalidVmcb:
            return "invalid-vmcb";
    }
    return "";
}

}  // namespace nestwalk
