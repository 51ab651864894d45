#pragma once

// Faults and exits that a translation or an operation can end in. They are values: an architectural
// fault is an outcome like any other.

#include "models/address.h"
#include "models/operation.h"

#include <cstdint>

namespace nestwalk {

enum class FaultKind : std::uint8_t {
    kNone,
    kPageFault,            ///< #PF
    kGeneralProtection,    ///< #GP: non-canonical address, bad operand
    kInvalidOpcode,        ///< #UD
    kEptViolation,         ///< VM exit (Intel)
    kEptMisconfiguration,  ///< VM exit (Intel)
    kNestedPageFault,      ///< #VMEXIT(NPF) (AMD)
    kVmFail,               ///< VMX instruction failed: VMfailValid
    kInvalidVmcb,          ///< VMEXIT_INVALID (AMD)
};

inline constexpr int kFaultKinds = 9;

struct Fault {
    FaultKind kind{};
    AccessKind access{};     ///< of an EPT violation: the access that was refused
    bool present{};          ///< #PF: a protection violation, not an absent entry
    bool reserved{};         ///< #PF: a reserved bit was set
    bool on_guest_table{};   ///< EPT violation: on a paging structure of the guest, bit 8 clear
    bool for_entry_write{};  ///< EPT violation: a guest entry's read that counts as a write, or A/D
                             ///< update
    VirtAddr va{};
    GuestPhysAddr gpa{};  ///< of a fault of the host dimension

    bool raised() const { return kind != FaultKind::kNone; }
    bool exits() const {
        return kind == FaultKind::kEptViolation || kind == FaultKind::kEptMisconfiguration ||
               kind == FaultKind::kNestedPageFault;
    }
    bool operator==(const Fault&) const = default;
};

/// The word of traces and reports: "page-fault", "gp", "ud", "ept-violation",
/// "ept-misconfiguration", "npf", "vmfail", "invalid-vmcb"; "" for none.
const char* name_of(FaultKind kind);

}  // namespace nestwalk
