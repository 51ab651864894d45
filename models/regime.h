#pragma once

// All that one translation depends on besides the caches: which tables, which tags, which control
// bits. It is made from the architectural state whenever that changes.

#include "models/control_flags.h"
#include "models/entry_memory.h"
#include "models/machine.h"
#include "models/mapping.h"
#include "models/page_table.h"
#include "models/tags.h"

#include <cstdint>

namespace nestwalk {

struct Regime {
    Vendor vendor{};
    ControlFlags flags{};
    bool paging{true};       ///< CR0.PG; without it linear addresses are guest-physical or physical
    bool nested{};           ///< EPT or NPT in use
    PageTableRoot linear{};  ///< the tables that CR3 points at: the guest's, native or shadow
    TableMemory* linear_memory{};
    PageTableRoot host{};
    TableMemory* host_memory{};
    EntryMemory* entries{};      ///< if not null, holds both dimensions' entries instead
    bool host_accessed_dirty{};  ///< EPTP bit 6; always on an NPT
    std::uint16_t context{};     ///< VPID, or ASID on AMD
    Pcid pcid{};
    Ep4ta ep4ta{};  ///< 0 without EPT and on AMD, where the ASID tags
    CombinedTarget combined_target{};
    InvalidationChoices choices{};
    std::uint64_t generation{};  ///< changes whenever a cached entry may have become stale

    /// The tags under which mappings of linear addresses are cached and looked up now. Page and
    /// level are the caller's.
    MappingKey linear_key(MappingRole role) const {
        return {.ep4ta = ep4ta,
                .context = context,
                .pcid = pcid,
                .kind = nested ? MappingKind::kCombined : MappingKind::kLinear,
                .role = role};
    }
    bool operator==(const Regime&) const = default;

    /// The same of guest-physical mappings: tagged by EP4TA on Intel, by ASID on AMD.
    MappingKey guest_physical_key(MappingRole role) const {
        return {.ep4ta = ep4ta,
                .context = vendor == Vendor::kAmd ? context : std::uint16_t{0},
                .kind = MappingKind::kGuestPhysical,
                .role = role};
    }
};

}  // namespace nestwalk
