#include "sim/cascade.h"

#include <algorithm>

namespace nestwalk {
namespace {

CascadePlan plan_for(System& system) {
    CascadePlan plan = plan_of(system.processor().mmu);
    const System::Processor processor = system.processor();
    if (system.parameters().cached_data == CachedData::kModelled &&
        processor.caches.any(processor.shared_cache)) {
        plan.reason = OneAtATime::kCachedData;
    }
    return plan;
}

LookUpStage<Mapping> stage_of(TranslationArray& array) {
    SetAssociative<Mapping>& sets = *array.sets();
    LookUpStage<Mapping> stage{.storage = &sets, .lanes = sets.lanes(MappingTag::kPageShift)};
    const std::uint32_t all = stage.lanes.ways;
    stage.ways.fill({0, all});
    for (const Holding& held : array.holds()) {
        if (held.ways.count == 0 || held.ways.count == all) continue;
        stage.divide(static_cast<std::size_t>(held.level), held.ways);
    }
    return stage;
}

}  // namespace

Cascade::Cascade(System& system)
    : system_(system),
      plan_(plan_for(system)),
      directory_(system, plan_),
      intake_(system, plan_, directory_),
      in_order_(CascadeIntake::kMostItems),
      stlb_lists_(plan_.arrays + 1u),
      walks_(CascadeIntake::kMostItems),
      lines_(CascadeIntake::kMostItems * kMaxLevels),
      used_(CascadeIntake::kMostItems),
      host_used_(CascadeIntake::kMostItems) {
    if (plan_.reason != OneAtATime::kNone) return;
    const Mmu::LookupOrder& order = system.mmu().order();
    has_structures_ = {!order.paging_structures.empty(), !order.nested_translations.empty(),
                       !order.nested_paging_structures.empty()};
    const System::Processor processor = system.processor();
    for (std::uint32_t index = 0; index < plan_.arrays; ++index) {
        arrays_.push_back(stage_of(processor.mmu.array(index)));
    }
    has_caches_ = processor.caches.any(processor.shared_cache);
    std::size_t level = 0;
    for (DataCache* cache : {&processor.caches.first(DataCaches::Side::kData),
                             &processor.caches.second(), &processor.shared_cache.l3}) {
        LookUpStage<CacheLine>& stage = caches_[level++];
        stage.storage = cache->lines();
        if (stage.storage != nullptr) stage.lanes = stage.storage->lanes(DataCache::kNumberShift);
    }
}

OneAtATime Cascade::regime_obstacle() const {
    if (!system_.regime().paging) return OneAtATime::kWithoutPaging;
    return OneAtATime::kNone;
}

CascadeProgress Cascade::run(std::span<const PackedAccess> accesses, Counters& counters,
                             Footprint& footprint, CascadeClock clock) {
    const OneAtATime obstacle = regime_obstacle();
    if (obstacle != OneAtATime::kNone) return {0, obstacle};
    directory_.enter();
    clock_ = clock;
    if (clock.core != nullptr) adopt_fills();
    for (done_ = 0; done_ < accesses.size();) {
        const CascadeProgress progress = intake_.take(accesses.subspan(done_), footprint);
        if (progress.done > 0) translate(counters);
        done_ += progress.done;
        if (progress.reason == OneAtATime::kDirectoryFull) {
            settle();
            directory_.clear();
        } else if (progress.reason != OneAtATime::kNone) {
            return {done_, progress.reason};
        }
    }
    return {done_, OneAtATime::kNone};
}

void Cascade::settle() {
    Mmu& mmu = system_.processor().mmu;
    for (std::uint32_t index = 0; index < arrays_.size(); ++index) {
        if (!arrays_[index].used) continue;
        arrays_[index].used = false;
        mmu.array(index).settle([this](std::uint64_t tag) { return directory_.mapping_of(tag); });
    }
    hand_back_fills();
}

}  // namespace nestwalk
