#pragma once

// Which operation of a guest exits, and what its hypervisor then flushes: one table, so that a
// reader can hold it against the manuals and the hypervisors' sources. `System` looks here before
// it lets a guest's operation reach the processor.

#include "models/control_flags.h"
#include "models/hypervisor.h"
#include "models/machine.h"
#include "models/system_parameters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestwalk {

/// What a guest does that a hypervisor can have reason to see, a row of the table each.
enum class GuestAction : std::uint8_t {
    kMovCr3,
    kInvlpg,
    kInvpcid,
    kCr4Pge,
    kCr4Pcide,
    kCr4Smep,
    kCr4Smap,
    kCr4Pke,
    kCr4Pae,
    kCr4Pse,
    kCr4La57,
    kCr0Pg,
    kCr0Wp,
    kEfer,
    kTaskSwitch,
    kVmInstruction,
    kPageFault,
    kHostFault,
    kTableWrite,
};
inline constexpr std::size_t kGuestActions = 19;

enum class ExitRule : std::uint8_t {
    kNever,
    kOnChange,  ///< of a control bit, when its value changes: the guest/host mask covers it
    kIfInSync,  ///< of a page table: unless it may be written, or nothing was made from it
    kAlways,
};

enum class HypervisorFlush : std::uint8_t {
    kNothing,
    kAddress,       ///< INVVPID type 0, INVLPGA
    kContext,       ///< INVVPID type 1, TLB_CONTROL=3
    kHostTable,     ///< INVEPT type 1
    kNewTag,        ///< another VPID or ASID; nothing is dropped
    kShadowInvlpg,  ///< as ShadowInvlpg says
    kByType,        ///< INVPCID type 0 like kAddress, the others like kContext
    kRoot,          ///< like kContext, unless bit 63 is set and the root is cached
    kAllContexts,   ///< INVVPID type 2, TLB_CONTROL=3; of a table write, if shadow entries go
};

enum class FlushRule : std::uint8_t {
    kAlways,     ///< of a control bit: whenever it changes
    kWhenClear,  ///< only when the bit changes to 0
};

struct Interception {
    ExitRule exits{};
    HypervisorFlush flush{};
    FlushRule when{};
    std::string_view source{};  ///< a section of a manual, or a function of the hypervisor
};

/// A hypervisor on a vendor's processors: a column of the table.
struct HypervisorColumn {
    std::string_view name{};  ///< of the hypervisor, and of an option where it has two columns
    Hypervisor kind{};
    Vendor vendor{};
    Cr4Filter cr4_filter{};
    std::array<Interception, kGuestActions> rows{};

    const Interception& row(GuestAction action) const {
        return rows[static_cast<std::size_t>(action)];
    }
};

std::span<const HypervisorColumn> hypervisor_columns();
/// The column that is in force; null for none. A PV shim's outer hypervisor is a Xen.
const HypervisorColumn* hypervisor_column(const HypervisorParameters& parameters, Vendor vendor);
/// What is wrong with the hypervisor on such a machine and such paging, and what to write instead;
/// empty if nothing is.
std::string hypervisor_error(const SystemParameters& system, Vendor vendor);

/// "MOV CR3", "CR4.PGE", "EPT violation, NPF".
std::string_view name_of(GuestAction action);
/// The row of a bit of CR4 or CR0; none for EFER's.
std::optional<GuestAction> action_of(ControlFlag flag);
/// "no", "if it changes", "if in sync", "yes".
std::string_view name_of(ExitRule rule);
/// "INVVPID 1", "TLB_CONTROL=3", "-".
std::string name_of(HypervisorFlush flush, Vendor vendor);

}  // namespace nestwalk
