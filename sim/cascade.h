#pragma once

// Translates plain accesses in bulk, with the counts that System gives one at a time. A batch goes
// through one stage after another: repeats of a page are dropped, then come L1 TLB, STLB,
// paging-structure caches and walks, and the cache lines that walks read; each stage looks up what
// the one before did not find. It works on the arrays of the models, on their tags and replacement
// alone; the entries that belong to the tags are made when somebody else wants to see them.
//
// An access is plain if all that can happen to it follows from its page: no fault, no A or D to
// set, no cached entry that differs from the tables. What is not plain is left to the caller, in
// its place between the others.

#include "models/system.h"
#include "sim/cascade_intake.h"
#include "sim/cascade_items.h"
#include "sim/cascade_kernels.h"
#include "sim/cascade_plan.h"
#include "sim/cascade_trail.h"
#include "sim/core_timing.h"
#include "sim/counters.h"
#include "sim/footprint.h"
#include "sim/in_order.h"
#include "sim/look_up_stage.h"
#include "sim/region_directory.h"
#include "traces/packed_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

/// Who keeps the time, and where it is counted; nobody.
struct CascadeClock {
    CoreTiming* core{};
    Counters* times{};
};

class Cascade {
    using Group = StructureLookup::Group;
    /// A walk reads no more: each level of the guest's tables, and the host's for each and the
    /// data.
    static constexpr std::size_t kMostLines = kMaxLevels + (kMaxLevels + 1) * kMaxLevels;

public:
    /// For the vCPU that is current in `system`, which must outlive it.
    explicit Cascade(System& system);

    /// Why no access of this machine and system can go this way; kNone if some can.
    OneAtATime obstacle() const { return plan_.reason; }

    /// Translates the first accesses of `accesses`, on the vCPU it was made for, which is current,
    /// up to one that is not plain. Adds to the counters. Throws OperationError.
    CascadeProgress run(std::span<const PackedAccess> accesses, Counters& counters,
                        Footprint& footprint, CascadeClock clock = {});
    /// To be called before anybody else looks at the system or changes it.
    void settle();
    /// Where an error came from: an access of the last run.
    std::size_t position() const { return done_ + intake_.position(); }
    /// D was set by other means, of a page or of whatever.
    void forget(VirtAddr page) { directory_.forget(page); }
    void forget_all() { directory_.clear(); }

private:
    OneAtATime regime_obstacle() const;

    // cascade_stages.cpp
    void translate(Counters& counters);
    void look_up_uniform(ItemList& list, std::size_t l1, Counters& counters);
    void look_up_mixed(Counters& counters);
    std::uint64_t stlb_tag(ItemMark mark);
    template <typename Count>
    void count_each(const StageItem* items, std::size_t count, const Count& counted) const;
    void count_l1_misses(const StageItem* items, std::size_t count, Counters& counters) const;
    void count_stlb_misses(const StageItem* items, std::size_t count, Counters& counters) const;

    // cascade_leaf_walks.cpp
    std::size_t walk_leaves(std::span<const StageItem> items, WalkCounts& counts);
    std::size_t walk_native_leaves(std::span<const StageItem> items, std::size_t leaf,
                                   LookUpStage<Mapping>& cache, WalkCounts& counts);
    std::size_t walk_nested_leaves(std::span<const StageItem> items, std::size_t leaf,
                                   LookUpStage<Mapping>& cache, WalkCounts& counts);
    void note_native_leaves(std::span<const StageItem> items, std::size_t leaf,
                            const LookUpStage<Mapping>& cache);
    void note_nested_leaves(std::span<const StageItem> items, std::size_t leaf,
                            const LookUpStage<Mapping>& cache,
                            const LookUpStage<Mapping>& host_cache);

    // cascade_walks.cpp
    void walk(const StageItem* items, std::size_t count, Counters& counters);
    void walk_native(Region& region, int start, std::uint64_t page, WalkCounts& counts);
    void walk_nested(Region& region, int start, std::uint64_t page, WalkCounts& counts);
    void read_entry(std::uint64_t line);
    void read_leaf(const Region& region, std::uint64_t page, WalkCounts& counts);
    void translate_host(HostPlace place, WalkCounts& counts);
    template <typename AnyRegion>
    int start_of(AnyRegion& region, const CascadePlan::ByLevel& caches, Group group);
    template <typename AnyRegion>
    void fill_structure(const AnyRegion& region, const CascadePlan::ByLevel& caches, int level);
    void note_lookup(Group group, CascadePlan::Array array, std::size_t place);
    void read_lines(Counters& counters);
    void note_l1_lines(std::span<BulkTranslation::Read> reads) const;

    // cascade_timing.cpp
    /// Where the next walk is in the lists of the trail.
    struct Walks {
        std::size_t walk{};
        std::size_t lookup{};
        std::size_t read{};
    };
    void make_trail();
    void begin_trail();
    LookUpTrail trail_to(std::vector<std::uint64_t>& found);
    void tell(CoreTiming& core, Counters& times);
    void tell_item(std::size_t item, PackedAccess access, Walks& walks, CoreTiming& core,
                   Counters& times);
    void adopt_fills();
    void hand_back_fills();

    System& system_;
    CascadePlan plan_;
    RegionDirectory directory_;
    CascadeIntake intake_;
    std::size_t done_{};                              ///< accesses of the current run
    std::vector<LookUpStage<Mapping>> arrays_{};      ///< by index of the array
    std::array<LookUpStage<CacheLine>, 3> caches_{};  ///< L1D, L2, L3
    std::array<bool, 3> has_structures_{};            ///< by StructureLookup::Group
    bool has_caches_{};

    InOrder in_order_;
    std::vector<ItemList> stlb_lists_{};  ///< by index of the array, and behind them: in none
    std::vector<StageItem> walks_;
    std::vector<StageItem> lines_;
    std::vector<std::uint32_t> used_;       ///< places in a paging-structure cache
    std::vector<std::uint32_t> host_used_;  ///< the same of guest-physical addresses
    std::size_t line_{};                    ///< where the next line goes
    std::size_t reads_{};                   ///< of the current walk so far

    CascadeClock clock_{};
    CascadeTrail trail_{};
    std::uint64_t sequence_{};  ///< of the current walk, while a trail is kept
    bool fills_adopted_{};
    std::uint64_t oldest_note_{};  ///< of those to be handed back
    std::size_t telling_{};        ///< the access that was told last
};

}  // namespace nestwalk
