#pragma once

// Why a guest exits to its hypervisor, as statistics, logs and `expect exit=` name it. A trace's
// own `vmexit` may give any word; one that is not here counts as `other`.

#include "models/fault.h"
#include "models/operation.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

enum class ExitReason : std::uint8_t {
    kMovCr3,
    kInvlpg,
    kInvpcid,
    kMovCr4,
    kMovCr0,
    kWrmsr,
    kTaskSwitch,
    kVmInstruction,  ///< INVVPID, INVEPT, INVLPGA in a guest
    kPageFault,
    kEptViolation,
    kEptMisconfiguration,
    kNestedPageFault,
    kTableWrite,  ///< a write of a guest page table that a shadow table depends on
    kOther,
};
inline constexpr std::size_t kExitReasons = 14;

/// "mov-cr3", "ept-violation", "table-write".
const char* name_of(ExitReason reason);
/// kOther for a word that names none.
ExitReason exit_reason_named(std::string_view word);
/// The exit that ends an access: kOther for a fault that is none.
ExitReason exit_reason_of(FaultKind fault);
/// The exit that the operation made: what a VmExit says, and by the instruction otherwise.
ExitReason exit_reason_of(const Operation& operation);

}  // namespace nestwalk
