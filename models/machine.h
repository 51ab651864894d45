#pragma once

// What a core's translation hardware looks like: plain values, resolved and checked, as a machine file
// gives them. The models are built from this and from nothing else.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/page_size.h"

namespace nestwalk {

enum class Vendor : std::uint8_t { kIntel, kAmd };
enum class IndexHash : std::uint8_t { kLinear, kXorFold };
enum class ReplacementPolicy : std::uint8_t {
    kTrueLru, kTreePlru, kMru3Plru4, kNru, kSrrip, kRandom
};

/// What kind of cached mapping an array holds. Linear (native, shadow) and combined (nested) mappings
/// share the same arrays and differ in their tags; guest-physical mappings are looked up by
/// guest-physical address (SDM "Caching Translation Information": information that may be cached).
enum class MappingClass : std::uint8_t {
    kTranslation,              ///< page translations: a TLB
    kPagingStructure,          ///< entries that reference another paging structure
    kNestedTranslation,        ///< guest-physical translations: a nested TLB
    kNestedPagingStructure,    ///< guest-physical paging-structure entries
};

/// The ways of a set that one class and level may occupy; `count` 0 means all of them.
struct WayRange {
    std::uint32_t first{};
    std::uint32_t count{};

    bool operator==(const WayRange&) const = default;
};

struct Holding {
    MappingClass mapping_class{};
    int level{1};  ///< translations: level of the leaf (1 = 4K, 2 = 2M, 3 = 1G); else of the entry
    WayRange ways{};

    bool operator==(const Holding&) const = default;
};

inline constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

/// One hardware array. `entries` 0 means that the machine does not have it, `kUnbounded` that it never
/// replaces anything; `ways` 0 means fully associative. Sets = entries / ways.
struct StructureParameters {
    std::string name{};
    std::uint32_t entries{};
    std::uint32_t ways{};
    IndexHash index{};
    ReplacementPolicy replacement{};
    std::uint64_t seed{1};  ///< of random replacement
    std::vector<Holding> holds{};

    bool operator==(const StructureParameters&) const = default;
};

/// What a combined paging-structure entry points with: the host-physical address of the guest's
/// paging structure (Intel), or its guest-physical address, which still owes a host walk (AMD).
enum class CombinedTarget : std::uint8_t { kHostPhysical, kGuestPhysical };

enum class FractureModel : std::uint8_t {
    kSticky,  ///< one bit a core, set by a fractured fill, cleared when the TLB is emptied
    kExact,   ///< set exactly while a fractured entry is cached
};
enum class FractureScope : std::uint8_t {
    kCurrentContext,  ///< the current VPID, every PCID
    kCurrentPcid,     ///< the current VPID and PCID
    kEverything,
};

/// Page fracturing: what an address-selective invalidation does once a translation has been cached whose
/// guest page is larger than its host page. Undocumented by Intel; every value is a stated choice.
struct FractureParameters {
    bool full_flush{};  ///< INVLPG empties the TLB while a fractured translation is present
    FractureModel model{};
    FractureScope scope{};
    bool globals{};     ///< global entries go too
    bool invpcid{};     ///< INVPCID type 0 does the same
    bool invvpid{};     ///< INVVPID type 0 does the same

    bool operator==(const FractureParameters&) const = default;
};

struct MachineParameters {
    std::string name{};
    std::string title{};
    Vendor vendor{};

    std::vector<StructureParameters> l1_dtlb{};
    std::vector<StructureParameters> l1_itlb{};
    std::vector<StructureParameters> stlb{};
    std::vector<StructureParameters> stlb_instruction{};  ///< empty: fetches use `stlb`
    std::vector<StructureParameters> paging_structure_caches{};
    std::vector<StructureParameters> nested_tlb{};
    std::vector<StructureParameters> nested_paging_structure_caches{};

    CombinedTarget combined_target{};
    FractureParameters fracture{};

    bool operator==(const MachineParameters&) const = default;
};

}  // namespace nestwalk
