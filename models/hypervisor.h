#pragma once

// Which hypervisor runs the virtual machines, and what can be chosen about it.

#include <cstdint>

namespace nestwalk {

enum class Hypervisor : std::uint8_t {
    kNone,       ///< nothing exits by policy; shadow tables follow the guest's at no cost
    kKvmEpt,     ///< KVM on Intel with EPT
    kKvmNpt,     ///< KVM on AMD with NPT
    kKvmShadow,  ///< KVM with EPT or NPT off
    kXenHap,     ///< a Xen HVM guest with hardware-assisted paging, EPT or NPT
    kXenShadow,  ///< a Xen HVM guest with shadow paging
    kXenPvShim,  ///< the guest is a Xen PV shim, nested on a Xen with hardware-assisted paging
};

/// How KVM flushes after the INVLPG of a guest whose tables it shadows.
enum class ShadowInvlpg : std::uint8_t {
    kIndividual,     ///< INVVPID type 0, the address alone
    kSingleContext,  ///< INVVPID type 1, as before that
    kNone,           ///< nothing: right only where exit and entry flush anyway
};

/// Whether Xen lets a guest on Intel change the CR4 bits that it has no interest in.
enum class Cr4Filter : std::uint8_t {
    kPerBit,  ///< the CR4 guest/host mask, since Xen 4.10
    kNone,    ///< every write of CR4 exits
};

struct HypervisorParameters {
    Hypervisor kind{};
    ShadowInvlpg shadow_invlpg{};
    Cr4Filter cr4_filter{};
    /// ASIDs or VPIDs that are handed out before the hypervisor flushes all and begins anew.
    std::uint32_t tags{32767};

    bool operator==(const HypervisorParameters&) const = default;
};

}  // namespace nestwalk
