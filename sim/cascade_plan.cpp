#include "sim/cascade_plan.h"

#include <algorithm>
#include <span>

namespace nestwalk {
namespace {

/// Which stage an array of these classes belongs to; several: none.
bool one_stage(const TranslationArray& array) {
    return std::all_of(array.holds().begin(), array.holds().end(), [&](const Holding& held) {
        return held.mapping_class == array.holds().front().mapping_class;
    });
}

OneAtATime obstacle(Mmu& mmu) {
    if (mmu.coalesces()) return OneAtATime::kCoalescing;
    for (std::uint32_t index = 0; index < mmu.arrays().size(); ++index) {
        TranslationArray& array = mmu.array(index);
        if (array.sets() == nullptr) return OneAtATime::kUnboundedArrays;
        if (!one_stage(array)) return OneAtATime::kSharedStorage;
        const SetLanes lanes = array.sets()->lanes(0);
        // Tags do not hold all of a page's number, and other indexes need all of it.
        if ((lanes.sets & (lanes.sets - 1)) != 0) return OneAtATime::kOddSets;
    }
    return OneAtATime::kNone;
}

/// A second use in a row changes what the first has left.
bool tells_uses_apart(TranslationArray& array) {
    return array.sets()->lanes(0).policy == ReplacementPolicy::kSrrip;
}

/// An array for each level. False if there are several for one.
bool place(const Mmu::Probes& probes, std::span<CascadePlan::Array> arrays) {
    for (const Mmu::Probe& probe : probes) {
        if (arrays[probe.level]) return false;
        arrays[probe.level] = probe.array;
    }
    return true;
}

}  // namespace

CascadePlan plan_of(Mmu& mmu) {
    CascadePlan plan;
    plan.reason = obstacle(mmu);
    if (plan.reason != OneAtATime::kNone) return plan;
    const Mmu::LookupOrder& order = mmu.order();
    bool single = place(order.paging_structures, plan.paging_structures) &&
                  place(order.nested_translations, plan.nested_translations) &&
                  place(order.nested_paging_structures, plan.nested_paging_structures);
    for (std::size_t side = 0; side < CascadePlan::kSides; ++side) {
        single = place(order.stlb[side], plan.stlb[side]) && single;
        std::array<CascadePlan::Array, CascadePlan::kPageSizes> arrays{};
        single = place(order.l1[side], arrays) && single;
        // An L1 without pages of a size keeps the next smaller piece that it can.
        for (std::uint8_t level = 1; level < CascadePlan::kPageSizes; ++level) {
            plan.l1[side][level] =
                arrays[level] ? CascadePlan::L1{arrays[level], level} : plan.l1[side][level - 1u];
            const CascadePlan::Array array = plan.l1[side][level].array;
            if (!array || tells_uses_apart(mmu.array(*array))) plan.repeats_matter = true;
        }
    }
    if (!single) plan.reason = OneAtATime::kSeveralArrays;
    plan.arrays = static_cast<std::uint8_t>(mmu.arrays().size());
    return plan;
}

}  // namespace nestwalk
