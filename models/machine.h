#pragma once

// What a core's translation hardware looks like: plain values, resolved and checked, as a machine
// file gives them. The models are built from this and from nothing else.

#include "models/page_size.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace nestwalk {

enum class Vendor : std::uint8_t { kIntel, kAmd };
enum class IndexHash : std::uint8_t { kLinear, kXorFold };
enum class ReplacementPolicy : std::uint8_t {
    kTrueLru,
    kTreePlru,
    kMru3Plru4,
    kNru,
    kSrrip,
    kRandom
};

/// What kind of cached mapping an array holds. Linear (native, shadow) and combined (nested)
/// mappings share the same arrays and differ in their tags; guest-physical mappings are looked up
/// by guest-physical address (SDM "Caching Translation Information": information that may be
/// cached).
enum class MappingClass : std::uint8_t {
    kTranslation,            ///< page translations: a TLB
    kPagingStructure,        ///< entries that reference another paging structure
    kNestedTranslation,      ///< guest-physical translations: a nested TLB
    kNestedPagingStructure,  ///< guest-physical paging-structure entries
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

/// One hardware array. `entries` 0 means that the machine does not have it, `kUnbounded` that it
/// never replaces anything; `ways` 0 means fully associative. Sets = entries / ways.
struct StructureParameters {
    std::string name{};
    std::uint32_t entries{};
    std::uint32_t ways{};
    IndexHash index{};
    ReplacementPolicy replacement{};
    std::uint64_t seed{1};  ///< of random replacement
    /// PCIDs besides the current one whose non-global entries outlive MOV to CR3; kUnbounded: all.
    std::uint32_t pcids_kept{kUnbounded};
    std::vector<Holding> holds{};

    bool operator==(const StructureParameters&) const = default;
};

/// One data or instruction cache of 64-byte lines; `bytes` 0 means that the machine does not have
/// it. Sets = bytes / 64 / ways.
struct CacheParameters {
    std::uint64_t bytes{};
    std::uint32_t ways{};
    ReplacementPolicy replacement{};
    std::uint64_t seed{1};  ///< of random replacement

    bool operator==(const CacheParameters&) const = default;
};

/// The caches that page walks read through, and traced data where an experiment says so. The L1D
/// and L1I are backed by the L2, that by the L3, that by memory; a level may be missing.
struct CacheHierarchyParameters {
    CacheParameters l1d{};
    CacheParameters l1i{};
    CacheParameters l2{};
    CacheParameters l3{};  ///< shared by all vCPUs

    std::array<const CacheParameters*, 4> all() const { return {&l1d, &l1i, &l2, &l3}; }
    bool operator==(const CacheHierarchyParameters&) const = default;
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

/// Page fracturing: what an address-selective invalidation does once a translation has been cached
/// whose guest page is larger than its host page. Undocumented by Intel; every value is a stated
/// choice.
struct FractureParameters {
    bool full_flush{};  ///< INVLPG empties the TLB while a fractured translation is present
    FractureModel model{};
    FractureScope scope{};
    bool globals{true};  ///< global entries go too
    bool invpcid{};      ///< INVPCID type 0 does the same
    bool invvpid{};      ///< INVVPID type 0 does the same

    bool operator==(const FractureParameters&) const = default;
};

/// 1-GiB translations cached as 2-MiB pieces, as AMD family 16h does.
struct SmashParameters {
    bool enabled{};
    bool full_flush{};  ///< INVLPG and INVLPGA empty the TLB once a piece was cached

    bool operator==(const SmashParameters&) const = default;
};

/// Four 4-KiB pages, contiguous and aligned in both spaces, alike in all attributes, in one entry.
enum class Coalescing : std::uint8_t { kNone, kFourPages };

/// What not every processor has. Without it an instruction is undefined (#UD), and a VM entry with
/// the value of TLB_CONTROL fails.
struct Features {
    bool invpcid{true};
    bool invlpgb{true};
    bool flush_by_asid{true};  ///< VMCB TLB_CONTROL values 3 and 7

    bool operator==(const Features&) const = default;
};

/// What happens to usable global translations that were made under another PCID.
enum class ForeignGlobals : std::uint8_t { kDrop, kKeep };
enum class StructureReach : std::uint8_t {
    kPath,  ///< paging-structure entries that lead to the address
    kPcid,  ///< all of the PCID
    kAsid,  ///< all of the ASID (AMD) or VPID
};
enum class RemoteInvlpgb : std::uint8_t { kAtIssue, kAtTlbsync };

/// Choices that the manuals leave open, one member a question; docs/choices.md gives the reasons.
struct InvalidationChoices {
    ForeignGlobals smep_and_pae{};  ///< CR4.SMEP rising, CR4.PAE changing
    ForeignGlobals page_fault{};
    StructureReach invpcid_address{};                  ///< INVPCID type 0
    StructureReach amd_invlpg{StructureReach::kAsid};  ///< INVLPG without EFER.TCE
    bool amd_smep_flushes{true};                       ///< CR4.SMEP rising on AMD
    bool amd_efer_flushes{true};                       ///< a change of EFER.NXE on AMD
    bool intel_efer_flushes{};
    bool tlb_control_7_nested{};         ///< TLB_CONTROL=7 drops nested entries of the ASID
    bool nested_page_fault_drops{true};  ///< as an EPT violation does
    RemoteInvlpgb remote_invlpgb{};

    bool operator==(const InvalidationChoices&) const = default;
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
    CacheHierarchyParameters caches{};

    CombinedTarget combined_target{};
    FractureParameters fracture{};
    SmashParameters smash_1g{};
    Coalescing coalescing{};
    Features features{};
    InvalidationChoices invalidation{};

    /// Every group of arrays above, in that order.
    std::array<const std::vector<StructureParameters>*, 7> array_groups() const {
        return {&l1_dtlb,
                &l1_itlb,
                &stlb,
                &stlb_instruction,
                &paging_structure_caches,
                &nested_tlb,
                &nested_paging_structure_caches};
    }
    /// Entries of all arrays that have a limit.
    std::uint64_t bounded_entries() const {
        std::uint64_t sum = 0;
        for (const auto* group : array_groups()) {
            for (const StructureParameters& array : *group) {
                if (array.entries != kUnbounded) sum += array.entries;
            }
        }
        return sum;
    }

    bool operator==(const MachineParameters&) const = default;
};

}  // namespace nestwalk
