#pragma once

// One cached mapping, of any of the architecture's six kinds (SDM "Information That May Be Cached"
// of "Caching Translation Information": linear, guest-physical and combined; translations and
// paging-structure entries each). Arrays that hold them are storage and know nothing of these
// rules.

#include "models/address.h"
#include "models/control_flags.h"
#include "models/fill_id.h"
#include "models/operation.h"
#include "models/page_size.h"
#include "models/tags.h"

#include <cstdint>

namespace nestwalk {

enum class MappingKind : std::uint8_t { kLinear, kCombined, kGuestPhysical };
enum class MappingRole : std::uint8_t { kTranslation, kPagingStructure };

/// Rights as the entries gave them, R/W and U/S ANDed and XD ORed over the levels. They are judged
/// at each use under the control bits of that moment, so a change of CR0.WP or CR4.SMAP needs no
/// flush.
struct Rights {
    bool writable{true};
    bool user{true};
    bool no_execute{};
    bool host_readable{true};
    bool host_writable{true};
    bool host_executable{true};

    bool operator==(const Rights&) const = default;
};

/// True if the rights of the linear dimension allow the access (SDM "Access Rights"). EFLAGS.AC is
/// 0.
bool permits_linear(const Rights& rights, AccessKind kind, Privilege privilege, ControlFlags flags);
/// True if the rights of the host dimension allow the access (SDM "EPT Violations").
bool permits_host(const Rights& rights, AccessKind kind);

/// What a mapping is found by. `context` is the VPID on Intel and the ASID on AMD.
struct MappingKey {
    std::uint64_t page{};  ///< address >> shift()
    Ep4ta ep4ta{};         ///< combined and guest-physical mappings, Intel only
    std::uint16_t context{};
    Pcid pcid{};  ///< carried by global entries too
    MappingKind kind{};
    MappingRole role{};
    std::uint8_t level{
        1};               ///< translation: 1, 2, 3 = 4K, 2M, 1G; else the level of the cached entry
    std::uint8_t span{};  ///< log2 of the pages that a coalesced entry covers

    /// Address bits below `page`.
    int shift() const { return level_shift(level) + span; }
    bool operator==(const MappingKey&) const = default;
};

/// Facts about an entry that are no part of the machine's state: they never decide what happens, so
/// two states that differ only here are the same state.
struct Bookkeeping {
    FillId filled_by{};
    std::uint64_t verified{};  ///< generation of the page tables at which a fresh walk agreed

    bool operator==(const Bookkeeping&) const { return true; }
};

struct Mapping {
    MappingKey key{};
    /// Translation: frame of the page. Paging-structure entry: the structure it references.
    /// Host-physical; 0 in a combined paging-structure entry that holds the guest-physical address
    /// alone.
    std::uint64_t target{};
    std::uint64_t guest_target{};  ///< the same, guest-physical, in combined mappings
    Rights rights{};
    bool global{};                ///< of a translation made from a leaf with G while CR4.PGE was 1
    bool dirty{};                 ///< D of the linear leaf as cached
    bool host_dirty{};            ///< D of the host leaf as cached; true where the host keeps no D
    std::uint8_t whole_level{1};  ///< level of the linear leaf: the page that software sees
    std::uint8_t effective_level{
        1};  ///< min(linear leaf, host leaf), before any split to fit an array
    Bookkeeping bookkeeping{};

    /// A guest page larger than the host pages behind it (SDM does not name it; the field says
    /// fractured).
    bool fractured() const {
        return key.kind == MappingKind::kCombined && key.role == MappingRole::kTranslation &&
               effective_level < whole_level;
    }
    /// Where the address is inside what the entry covers.
    std::uint64_t offset_of(std::uint64_t address) const {
        return address & ((std::uint64_t{1} << key.shift()) - 1);
    }
    std::uint64_t digest() const;
    bool operator==(const Mapping&) const = default;
};

/// The part of a translation that an array of smaller pages can hold.
Mapping piece_of(Mapping mapping, int level, VirtAddr va);

/// What an access looks for: the tags in force and one address.
struct MappingQuery {
    MappingKey key{};

    /// Global translations match whatever their PCID.
    bool matches(const Mapping& mapping) const {
        const MappingKey& found = mapping.key;
        return found.page == key.page && found.level == key.level && found.span == key.span &&
               found.role == key.role && found.kind == key.kind && found.context == key.context &&
               found.ep4ta == key.ep4ta && (found.pcid == key.pcid || mapping.global);
    }
};

}  // namespace nestwalk
