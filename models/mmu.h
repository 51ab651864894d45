#pragma once

// The translation hardware of one logical processor: its arrays, how a translation goes through
// them, and what it drops. This is the reference semantics: every engine must agree with what
// `translate` and `drop` report. It holds no clock and no registers; the regime says in which state
// it is used.

#include "models/machine.h"
#include "models/mapping.h"
#include "models/outcome.h"
#include "models/recent_hits.h"
#include "models/regime.h"
#include "models/selection.h"
#include "models/translation_array.h"
#include "models/walk.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwalk {

/// The software that maps a page on its first touch, before the walk that would otherwise fault.
class PageSupplier {
public:
    PageSupplier() = default;
    PageSupplier(const PageSupplier&) = default;
    PageSupplier& operator=(const PageSupplier&) = default;
    virtual ~PageSupplier() = default;

    virtual void supply(VirtAddr va, Privilege privilege) = 0;
};

class Mmu {
public:
    explicit Mmu(const MachineParameters& machine);

    /// Translates one address for one access and says in `outcome` (cleared by the caller) what
    /// happened. A fault drops what the architecture says it drops. Sets A and D bits in the
    /// regime's memory.
    void translate(const WalkRequest& request, const Regime& regime, PageSupplier& supplier,
                   Outcome& outcome);

    /// What the tables say about an address, caches aside; nothing if it faults. Changes no state.
    static std::optional<Walk> walk_uncached(const Regime& regime, VirtAddr va);

    /// Drops what the selection matches from every array, and adds to `outcome.dropped`.
    void drop(const Selection& selection, Outcome& outcome);

    /// True if a page-selective invalidation would have to expect fragments of a larger guest page.
    bool fracture_present() const;
    /// The whole TLB flush of a page-selective invalidation that found a fractured translation
    /// present.
    void flush_fractured(const Regime& regime, Outcome& outcome);

    /// INVLPG and INVLPGA: the whole TLB flush that 2-MiB pieces of a 1-GiB page bring.
    void flush_smashed(Outcome& outcome);

    /// To be called when the regime has changed, and the PCID in use with it perhaps.
    void load_pcid(const Regime& regime);

    const FractureParameters& fracture() const { return fracture_; }
    const std::vector<TranslationArray>& arrays() const { return arrays_; }

    /// Translations so far.
    std::uint64_t sequence() const { return sequence_; }

    std::uint64_t digest();
    /// Compares caches and replacement state, not bookkeeping.
    bool operator==(const Mmu& other) const;
    /// Of two equal ones: true if entries whose fills may be under way were filled equally long
    /// ago.
    bool same_fills(const Mmu& other, FillWindow mine, FillWindow others) const;

    // For engines that translate in bulk.

    /// One look-up: for mappings of one level, in one array.
    struct Probe {
        std::uint32_t array{};
        std::uint8_t level{};
        std::uint8_t span{};
    };
    using Probes = std::vector<Probe>;
    /// Where each class of mapping is looked up, smallest page or longest prefix first.
    struct LookupOrder {
        std::array<Probes, 2> l1{};  ///< data, instruction
        std::array<Probes, 2> stlb{};
        Probes paging_structures{};
        Probes nested_translations{};
        Probes nested_paging_structures{};
    };
    static std::size_t side_of(AccessKind kind) { return kind == AccessKind::kFetch ? 1 : 0; }

    const LookupOrder& order() const { return order_; }
    TranslationArray& array(std::uint32_t index) { return arrays_[index]; }
    bool coalesces() const { return coalescing_ != Coalescing::kNone; }
    bool smashes() const { return smash_1g_.enabled; }
    /// That many translations were made that did not go through `translate`.
    void note_bulk(std::uint64_t translations) {
        sequence_ += translations;
        recent_hits_.forget();
    }
    /// Some of them filled a fractured translation.
    void note_fractured_fill() { fracture_seen_ = true; }

private:
    struct Found {
        Mapping* mapping{};
        std::uint32_t array{};
    };

    /// log2 of the pages that a coalesced entry covers.
    static constexpr std::uint8_t kCoalescedSpan = 2;

    // mmu.cpp
    void add_arrays(const std::vector<StructureParameters>& parameters,
                    std::initializer_list<Probes*> translations);
    Found look_up(const Probes& probes, std::uint64_t address, MappingKey key);
    /// `key` has the tags in force: a global entry may have been made under another PCID.
    bool matches_larger(const Probes& probes, const Mapping& used, MappingKey key, VirtAddr va);
    Found look_up_tlbs(const WalkRequest& request, const Regime& regime, Outcome& outcome);

    bool use_hit(Found hit, const WalkRequest& request, const Regime& regime, Outcome& outcome);
    bool holds_fractured() const;
    void raise(const Fault& fault, const Regime& regime, Outcome& outcome);

    // mmu_walk.cpp
    void walk_and_fill(const WalkRequest& request, const Regime& regime, Outcome& outcome);
    Bookkeeping bookkeeping(const Regime& regime, const Outcome& outcome) const;
    void note_lookup(StructureLookup::Group group, Found found, Outcome& outcome) const;
    bool drive(Walk& walk, const Regime& regime, Outcome& outcome);
    void answer_guest_physical(Walk& walk, const Regime& regime, Outcome& outcome);
    void read_entry(Walk& walk, const Regime& regime, Outcome& outcome);
    void note_staleness(Mapping& used, VirtAddr va, const Regime& regime, Outcome& outcome) const;
    static bool agrees(const Mapping& used, VirtAddr va, const Walk& fresh);
    static bool others_agree(const Mapping& used, VirtAddr va, const Regime& regime);

    // mmu_fill.cpp
    void cache(Mapping mapping, Outcome& outcome);
    void cache_in(std::uint32_t array, const Mapping& mapping, Outcome& outcome);
    void fill_translation(const Mapping& mapping, VirtAddr va, AccessKind kind, Outcome& outcome);
    void fill_l1(const Mapping& mapping, VirtAddr va, AccessKind kind, Outcome& outcome);
    static void drop_covered(TranslationArray& array, MappingKey key);
    Mapping as_cached(Mapping mapping, VirtAddr va, const Regime& regime, const Walk& walk);
    std::optional<Mapping> coalesced(const Mapping& mapping, VirtAddr va,
                                     const Regime& regime) const;

    std::vector<TranslationArray> arrays_{};
    FractureParameters fracture_{};
    SmashParameters smash_1g_{};
    Coalescing coalescing_{};
    LookupOrder order_{};
    std::array<bool, 3> has_structures_{};  ///< a look-up of that group is one of something

    RecentHits recent_hits_{};  ///< to be forgotten wherever the content of an array changes

    bool fracture_seen_{};      ///< the sticky bit
    bool smash_seen_{};         ///< a piece of a 1-GiB page was cached since the TLB was last empty
    std::uint64_t sequence_{};  ///< translations so far; bookkeeping, no part of the state
    bool trusted_{};            ///< every cached mapping used so far by the current walk is fresh
};

}  // namespace nestwalk
