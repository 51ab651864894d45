#pragma once

// All state of a simulated system, as plain values: two equal states behave alike for ever. Loop
// collapse keeps a copy of one and compares.

#include "models/control_flags.h"
#include "models/data_caches.h"
#include "models/frame_allocator.h"
#include "models/mmu.h"
#include "models/os_state.h"
#include "models/page_table.h"
#include "models/system_parameters.h"
#include "models/table_memory.h"
#include "models/tags.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwalk {

/// An address space: what a CR3 value names.
struct Space {
    std::string name{};
    Pcid pcid{};
    std::uint64_t root{};         ///< in its software's own physical memory
    std::uint64_t shadow_root{};  ///< host-physical; shadow paging only
    std::uint64_t user_root{};    ///< the user's tables; page-table isolation only
    std::uint64_t user_shadow_root{};
    OsSpace os{};

    std::uint64_t root_of(Tables tables) const {
        return tables == Tables::kUser ? user_root : root;
    }
    std::uint64_t shadow_root_of(Tables tables) const {
        return tables == Tables::kUser ? user_shadow_root : shadow_root;
    }

    bool operator==(const Space&) const = default;
};

/// One of a space's sets of tables.
struct SpaceTables {
    std::size_t space{};
    Tables tables{};

    auto operator<=>(const SpaceTables&) const = default;
};

/// Where a guest's table is used: below which root, for the addresses from `base` on.
struct ShadowUse {
    SpaceTables tables{};
    std::uint64_t base{};

    auto operator<=>(const ShadowUse&) const = default;
};

/// A guest's table that shadow tables were made from, at one of the levels it is used at.
struct ShadowedTable {
    bool out_of_sync{};  ///< the guest may write it, and the shadow does not follow for now
    std::vector<ShadowUse> uses{};  ///< sorted

    bool operator==(const ShadowedTable&) const = default;
};

struct Shadowed {
    std::map<std::pair<std::uint64_t, int>, ShadowedTable> tables{};  ///< by address and level
    std::size_t out_of_sync{};

    bool operator==(const Shadowed&) const = default;
};

/// The host or one virtual machine: its physical memory (as far as it holds page tables) and its
/// spaces.
struct Software {
    std::string name{};
    TableMemory memory{};  ///< host-physical of the host, guest-physical of a virtual machine
    FrameAllocator frames{};
    std::vector<Space> spaces{};
    int levels{4};
    Vpid vpid{};
    Asid asid{};
    std::size_t host_table{};  ///< of a virtual machine: the EPT or NPT in force
    /// Runs the operating system of the experiment, whose spaces share the kernel's half.
    bool runs_os{};
    std::size_t kernel_space{};    ///< then: the space of the kernel's own threads
    std::uint16_t global_pcids{};  ///< given to spaces so far
    Shadowed shadowed{};           ///< under a hypervisor that shadows its tables

    bool operator==(const Software&) const = default;
};

/// An EPT or NPT, in host-physical memory.
struct HostTable {
    std::string name{};
    std::uint64_t root{};
    bool accessed_dirty{};

    bool operator==(const HostTable&) const = default;
};

/// The table as a walk and its software read it: an EPT on Intel, ordinary entries (an NPT) on AMD.
PageTableRoot root_of(const HostTable& table, const HostParameters& parameters, Vendor vendor);

/// The root of shadow tables, as KVM knows it: by what CR3 holds.
struct LoadedRoot {
    std::size_t space{};
    Tables tables{};
    Pcid pcid{};

    bool operator==(const LoadedRoot&) const = default;
};

/// What CR3 says.
struct LoadedSpace {
    std::size_t space{};
    std::optional<Pcid> pcid{};  ///< where it is not the space's own
    Tables tables{};

    bool operator==(const LoadedSpace&) const = default;
};

/// What a logical processor has loaded for one Software.
struct Registers : LoadedSpace {
    ControlFlags flags{};
    OsCpu os{};
    /// VPID or ASID that a hypervisor gave the guest in place of the declared one; 0: none.
    std::uint16_t tag{};
    /// Shadow roots that KVM keeps besides the current one, the last first.
    std::vector<LoadedRoot> previous_roots{};

    /// The space's tables under its own PCID.
    void load(std::size_t loaded) { *static_cast<LoadedSpace*>(this) = {.space = loaded}; }
    void load(const LoadedSpace& loaded) { *static_cast<LoadedSpace*>(this) = loaded; }
    bool operator==(const Registers&) const = default;
};

struct Vcpu {
    Mmu mmu;
    DataCaches caches{};
    std::size_t running{};  ///< index of the Software that runs: 0 is the host
    std::size_t last_vm{};  ///< the virtual machine that runs, or ran last; 0: none yet
    std::vector<Registers> registers{};           ///< of each Software
    std::vector<Selection> pending_broadcasts{};  ///< INVLPGB that its TLBSYNC has yet to complete
    std::uint32_t last_tag{};                     ///< that a hypervisor handed out; 0: none yet

    bool operator==(const Vcpu&) const = default;
};

struct SystemState {
    std::vector<Vcpu> vcpus{};
    std::size_t current_cpu{};
    std::vector<Software> software{};  ///< the host first
    std::vector<HostTable> host_tables{};
    SharedCache shared_cache{};
    std::map<std::string, std::size_t> held_locks{};  ///< by name: the vCPU that holds it

    std::uint64_t digest();
    bool operator==(const SystemState&) const = default;
};

}  // namespace nestwalk
