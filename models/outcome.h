#pragma once

// What happened to one translation or one operation, in enough detail for counting, for timing and
// for a lesson. Units report what happened; one place, the statistics, counts it.

#include "models/address.h"
#include "models/fault.h"
#include "models/fill_id.h"
#include "models/mapping.h"
#include "models/page_size.h"
#include "models/selection.h"

#include <cstdint>
#include <vector>

namespace nestwalk {

/// The two dimensions of a nested walk. A native or shadow walk has only the first.
enum class Dimension : std::uint8_t { kGuest, kHost };

/// Where a cache line was found. Beyond the last cache is memory.
enum class LineSource : std::uint8_t { kNone, kL1, kL2, kL3, kMemory };

/// One use of a cache line, by a walk or by the access itself.
struct LineUse {
    LineSource source{};
    FillId filled_by{};  ///< of a line found in the L1
};

/// One look-up of a group of structures on the way of a walk.
struct StructureLookup {
    enum class Group : std::uint8_t { kPagingStructures, kNestedTlb, kGuestPhysicalStructures };

    Group group{};
    std::uint8_t after_reads{};  ///< how many entries had been read by then
    FillId filled_by{};          ///< of the entry found; 0 where none was
};

/// One read of a paging-structure entry, in the order in which the walk made them.
struct EntryRead {
    Dimension dimension{};
    std::uint8_t level{};
    bool set_accessed{};  ///< the walk wrote the entry back with A
    bool set_dirty{};
    PhysAddr location{};             ///< host-physical address of the entry
    std::uint64_t guest_location{};  ///< guest-physical address of a guest's entry
    std::uint64_t raw{};             ///< the entry as read
    LineUse line{};
};

/// One mapping that was put into an array.
struct CachedFill {
    std::uint32_t array{};        ///< index into Mmu::arrays()
    std::uint32_t after_reads{};  ///< how many entries had been read by then
    Mapping mapping{};
};

enum class TranslationResult : std::uint8_t { kNone, kL1Hit, kStlbHit, kMiss, kFault };

/// How much a flush asked for or did.
enum class FlushScope : std::uint8_t {
    kNone,
    kPage,     ///< one address
    kContext,  ///< one PCID, VPID, ASID or EP4TA, or all but the globals
    kAll,      ///< everything that the current mode can name, globals included
};

/// Flushes by their scope.
struct FlushCounts {
    std::uint32_t page{};
    std::uint32_t context{};
    std::uint32_t all{};

    void add(FlushScope scope) {
        if (scope == FlushScope::kPage) ++page;
        if (scope == FlushScope::kContext) ++context;
        if (scope == FlushScope::kAll) ++all;
    }
};

inline constexpr std::uint8_t kFromRoot = kMaxLevels + 1;

/// What there is one of.
struct OutcomeFacts {
    // Of a translation.
    bool second_page{};  ///< of an access that crosses a page, the translation of the second
    bool again{};        ///< of an access that is made again after an answered fault
    bool answered{};     ///< a hypervisor answers the fault: what it does follows, and another try
    TranslationResult result{};
    AccessKind access{};
    Fault fault{};
    bool l1_missed{};
    bool stlb_missed{};
    std::uint8_t page_level{};   ///< of the translation used: 1, 2, 3; 0 when there was none
    std::uint8_t page_span{};    ///< log2 of the pages of a coalesced entry
    std::uint8_t whole_level{};  ///< of the page that software sees
    std::uint8_t
        start_level{};  ///< paging-structure entry the walk started from, kFromRoot, 0: no walk
    std::uint64_t physical{};  ///< host-physical address of the data
    std::uint64_t sequence{};  ///< of this translation, counted from 1 on each vCPU
    FillId filled_by{};        ///< of the TLB entry that hit
    bool fractured_fill{};
    bool coalesced_fill{};
    bool stale{};
    bool stale_rights{};
    bool ambiguous{};
    bool rights_rewalk{};
    bool fault_rewalk{};  ///< a walk that began in a cached entry faulted and was repeated
    bool dirty_assist{};

    // Of an operation, and of the drops that a fault implies.
    FlushCounts asked{};
    FlushCounts performed{};
    std::uint32_t fracture_flushes{};
    std::uint32_t smash_flushes{};
    std::uint32_t exits{};  ///< VM exits that it was, or that it caused and nothing answered
    std::uint32_t ipis{};   ///< interrupts that it sent to other vCPUs
    Dropped dropped{};
};

struct Outcome : OutcomeFacts {
    std::vector<EntryRead> reads{};          ///< in order
    std::vector<StructureLookup> lookups{};  ///< in order
    std::vector<CachedFill> fills{};
    std::vector<LineUse> lines{};  ///< of the access itself, where its data occupies the caches

    /// Makes it fresh, and keeps the memory of the lists.
    void clear();
    std::uint64_t reads_of(Dimension dimension) const;
};

/// "root", "pml5e", "pml4e", "pdpte", "pde"; "" where no walk was made.
const char* name_of_start(std::uint8_t start_level);
/// "l1-hit", "stlb-hit", "miss", "fault"; "" for none.
const char* name_of(TranslationResult result);

}  // namespace nestwalk
