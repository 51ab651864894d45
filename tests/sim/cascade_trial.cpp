#include "tests/sim/cascade_trial.h"

#include <algorithm>
#include <array>

namespace nestwalk::test {
namespace {

using Levels = std::vector<int>;

template <typename Value, std::size_t kCount>
Value one_of(Dice& dice, const std::array<Value, kCount>& values) {
    return values[dice.below(kCount)];
}

ReplacementPolicy random_policy(Dice& dice, std::uint32_t ways) {
    const std::uint64_t kind = dice.below(20);
    if (kind < 6) return ReplacementPolicy::kTrueLru;
    if (kind < 14 && ways == 12) return ReplacementPolicy::kMru3Plru4;
    if (kind < 14 && (ways & (ways - 1)) == 0) return ReplacementPolicy::kTreePlru;
    if (kind == 17) return ReplacementPolicy::kNru;
    if (kind == 18) return ReplacementPolicy::kSrrip;
    if (kind == 19) return ReplacementPolicy::kRandom;
    return ReplacementPolicy::kTrueLru;
}

StructureParameters random_array(Dice& dice, const std::string& name, std::vector<Holding> holds) {
    static constexpr std::array kWays{1u, 2u, 4u, 4u, 5u, 6u, 8u, 8u, 12u, 12u, 16u, 20u, 64u};
    static constexpr std::array kSets{1u, 1u, 2u, 4u, 16u, 64u};
    const std::uint32_t ways = one_of(dice, kWays);
    const std::uint32_t sets = dice.one_in(40) ? 3 : one_of(dice, kSets);
    const bool full = sets == 1 && dice.one_in(2);
    StructureParameters array{
        .name = name,
        .entries = dice.one_in(60) ? kUnbounded : ways * sets,
        .ways = full ? 0 : ways,
        .index = sets != 3 && dice.one_in(2) ? IndexHash::kXorFold : IndexHash::kLinear,
        .replacement = random_policy(dice, ways),
        .seed = dice.number(),
        .holds = std::move(holds)};
    if (array.entries == kUnbounded) array.ways = 0;
    if (dice.one_in(4)) array.pcids_kept = dice.from(0, 3);
    for (Holding& held : array.holds) {
        if (array.entries == kUnbounded || array.holds.size() == 1 || !dice.one_in(4)) continue;
        held.ways.first = dice.from(0, ways - 1);
        held.ways.count = dice.from(1, ways - held.ways.first);
    }
    return array;
}

std::vector<Holding> holding(MappingClass mapping_class, const Levels& levels) {
    std::vector<Holding> holds;
    for (const int level : levels)
        holds.push_back({.mapping_class = mapping_class, .level = level});
    return holds;
}

/// An array for each list of levels.
std::vector<StructureParameters> random_arrays(Dice& dice, const std::string& name,
                                               MappingClass mapping_class,
                                               const std::vector<Levels>& levels) {
    std::vector<StructureParameters> arrays;
    for (const Levels& each : levels) {
        arrays.push_back(
            random_array(dice, name + std::to_string(arrays.size()), holding(mapping_class, each)));
    }
    return arrays;
}

std::vector<Levels> random_tlb(Dice& dice) {
    static const std::vector<std::vector<Levels>> kShapes{
        {{1}, {2}, {3}}, {{1}, {2}, {3}}, {{1, 2, 3}}, {{1}},         {{1}, {2}},
        {{1, 2}, {3}},   {{1}, {2, 3}},   {{2}},       {{1}, {1, 2}}, {}};
    return kShapes[dice.below(kShapes.size())];
}

std::vector<Levels> random_structures(Dice& dice) {
    static const std::vector<std::vector<Levels>> kShapes{
        {{4}, {3}, {2}}, {{5}, {4}, {3}, {2}}, {{2, 3, 4}}, {{2}},
        {{3}, {2}},      {{2, 3}, {4}},        {{3, 4}},    {},
        {{4}, {3}, {2}}, {{2}, {2, 3}}};
    return kShapes[dice.below(kShapes.size())];
}

CacheParameters random_cache(Dice& dice, std::uint64_t lines) {
    if (dice.one_in(6)) return {};
    static constexpr std::array kWays{1u, 2u, 4u, 8u, 12u, 16u, 20u};
    const std::uint32_t ways = one_of(dice, kWays);
    return {.bytes = lines / 4 * ways * 64,
            .ways = ways,
            .replacement = random_policy(dice, ways),
            .seed = dice.number()};
}

PageSize random_size(Dice& dice) {
    static constexpr std::array kSizes{PageSize::k4K, PageSize::k4K, PageSize::k2M, PageSize::k1G};
    return one_of(dice, kSizes);
}

}  // namespace

MachineParameters random_machine(Dice& dice) {
    MachineParameters machine{.name = "random"};
    machine.vendor = dice.one_in(3) ? Vendor::kAmd : Vendor::kIntel;
    constexpr auto kTranslation = MappingClass::kTranslation;
    machine.l1_dtlb = random_arrays(dice, "dtlb", kTranslation, random_tlb(dice));
    machine.l1_itlb = random_arrays(dice, "itlb", kTranslation, random_tlb(dice));
    machine.stlb = random_arrays(dice, "stlb", kTranslation, random_tlb(dice));
    if (dice.one_in(4)) {
        machine.stlb_instruction = random_arrays(dice, "istlb", kTranslation, random_tlb(dice));
    }
    machine.paging_structure_caches =
        random_arrays(dice, "psc", MappingClass::kPagingStructure, random_structures(dice));
    if (dice.one_in(2)) {
        machine.nested_tlb =
            random_arrays(dice, "ntlb", MappingClass::kNestedTranslation, random_tlb(dice));
    }
    if (dice.one_in(2)) {
        machine.nested_paging_structure_caches = random_arrays(
            dice, "npsc", MappingClass::kNestedPagingStructure, random_structures(dice));
    }
    if (dice.one_in(30) && !machine.stlb.empty()) {  // as Zen's
        machine.stlb[0].holds.push_back(
            {.mapping_class = MappingClass::kPagingStructure, .level = 2});
    }
    if (!dice.one_in(8)) {
        machine.caches = {.l1d = random_cache(dice, 32),
                          .l1i = random_cache(dice, 16),
                          .l2 = random_cache(dice, 128),
                          .l3 = random_cache(dice, 512)};
    }
    machine.combined_target =
        dice.one_in(2) ? CombinedTarget::kHostPhysical : CombinedTarget::kGuestPhysical;
    machine.fracture.full_flush = dice.one_in(2);
    machine.fracture.model = dice.one_in(2) ? FractureModel::kSticky : FractureModel::kExact;
    machine.smash_1g = {.enabled = dice.one_in(8), .full_flush = dice.one_in(2)};
    if (dice.one_in(20)) machine.coalescing = Coalescing::kFourPages;
    return machine;
}

SystemParameters random_system(Dice& dice) {
    SystemParameters system;
    system.paging = one_of(dice, std::array{Paging::kNative, Paging::kNative, Paging::kNested,
                                            Paging::kNested, Paging::kShadow});
    system.guest.levels = dice.one_in(4) ? 5 : 4;
    system.guest.page_size = random_size(dice);
    system.guest.global = dice.one_in(3);
    for (int region = 0; region < 3; ++region) {
        system.guest.regions.push_back({.at = dice.below(64) << 21,
                                        .bytes = dice.from(1, 8) * std::uint64_t{1 << 21},
                                        .page_size = random_size(dice)});
    }
    system.host.page_size = random_size(dice);
    system.host.accessed_dirty = dice.one_in(3);
    if (dice.one_in(3)) {
        system.host.holes.push_back(
            {.at = 0x1'0000'0000 + (dice.below(64) << 21), .bytes = 1 << 14});
    }
    system.pcid = dice.one_in(2);
    system.vpid = !dice.one_in(4);
    system.accessed_dirty_preset = dice.one_in(2);
    system.cached_data = dice.one_in(3) ? CachedData::kModelled : CachedData::kIdeal;
    system.cache_start = dice.one_in(2) ? CacheStart::kCold : CacheStart::kHot;
    system.vcpus = dice.one_in(3) ? 2 : 1;
    return system;
}

// --- Traces -------------------------------------------------------------------------------------

namespace {

/// Where runs of accesses go: dense, sparse, at the ends of halves of the address space.
constexpr std::array<std::uint64_t, 8> kBases{0x40'0000,
                                              0x40'0000,
                                              0x5555'0000'0000,
                                              0x7fff'ffff'0000,
                                              0xffff'8000'0040'0000,
                                              0xffff'ffff'8000'0000,
                                              0x4000'0000,
                                              0x0};

struct Pattern {
    std::uint64_t base{};
    std::uint64_t span{};    ///< bytes
    std::uint64_t stride{};  ///< 0: at random
    std::uint64_t stores{};  ///< one in so many; 0: none
    std::uint64_t fetches{};
    std::uint64_t kernel{};
    std::uint64_t wide{};
};

Pattern random_pattern(Dice& dice) {
    static constexpr std::array<std::uint64_t, 8> kStrides{0, 0, 0, 8, 64, 4096, 4160, 0x20'1000};
    static constexpr std::array<std::uint64_t, 6> kSpans{0x1000,    0x4000,     0x2'0000,
                                                         0x40'0000, 0x400'0000, 0x1'0000'0000};
    return {.base = one_of(dice, kBases),
            .span = one_of(dice, kSpans),
            .stride = one_of(dice, kStrides),
            .stores = dice.below(4),
            .fetches = dice.one_in(3) ? 4u : 0u,
            .kernel = dice.one_in(4) ? 3u : 0u,
            .wide = dice.one_in(3) ? 5u : 0u};
}

Access random_access(Dice& dice, const Pattern& pattern, std::uint64_t number) {
    const auto chosen = [&](std::uint64_t one_in) { return one_in != 0 && dice.one_in(one_in); };
    const std::uint64_t offset =
        (pattern.stride == 0 ? dice.number() & ~std::uint64_t{7} : number * pattern.stride) %
        pattern.span;
    Access access{.va = VirtAddr(pattern.base + offset)};
    if (!is_canonical(access.va, 4)) access.va = VirtAddr(pattern.base);
    access.kind = chosen(pattern.fetches)  ? AccessKind::kFetch
                  : chosen(pattern.stores) ? AccessKind::kStore
                                           : AccessKind::kLoad;
    const bool upper = access.va.value() >> 63 != 0;
    access.privilege = upper || chosen(pattern.kernel) ? Privilege::kKernel : Privilege::kUser;
    if (chosen(pattern.wide)) access.bytes = dice.from(1, 512);
    if (dice.one_in(6)) {
        access.dependence = Dependence::kOnPreviousLoad;
        access.loads_back = static_cast<std::uint8_t>(dice.from(1, kFarthestDependence));
    }
    return access;
}

}  // namespace

CascadeTrial random_cascade_trial(std::uint64_t seed, std::size_t accesses) {
    Dice dice(seed);
    const std::vector<Setting>& settings = dice.one_in(3) ? os_settings() : bounded_settings();
    CascadeTrial trial{.setting = settings[dice.below(settings.size())],
                       .timing = random_timing(dice)};
    if (!dice.one_in(4)) {
        trial.setting.machine = random_machine(dice);
        trial.setting.system = random_system(dice);
    } else {
        trial.setting.system.demand = Demand::kMapOnFirstTouch;
    }
    System scratch(trial.setting.machine, trial.setting.system);
    Deaf deaf;
    const auto keep = [&](const Operation& operation) {
        try {
            scratch.execute(operation, deaf);
            trial.program.push_back(operation);
        } catch (const OperationError&) {
        }
    };
    if (dice.one_in(2)) {
        for (const Operation& operation : prelude(trial.setting)) keep(operation);
    }
    Pattern pattern = random_pattern(dice);
    std::uint64_t number = 0;
    while (number < accesses) {
        if (dice.one_in(2)) pattern = random_pattern(dice);
        const std::uint64_t length = dice.one_in(4) ? dice.from(1, 20) : dice.from(20, 600);
        for (std::uint64_t at = 0; at < length; ++at) {
            Access access = random_access(dice, pattern, number++);
            if (dice.one_in(50))
                access.count = dice.from(2, 40), access.stride = 8 * dice.from(1, 600);
            keep(access);
        }
        for (std::uint64_t other = dice.below(4); other > 0; --other) {
            if (trial.setting.system.vcpus > 1 && dice.one_in(4)) keep(SelectCpu{dice.from(0, 1)});
            keep(operation_of(dice.number(), trial.setting));
        }
    }
    return trial;
}

RunSource::RunSource(const std::vector<Operation>& program, Form form, std::size_t most)
    : form_(form), most_(most) {
    for (const Operation& operation : program) {
        items_.emplace_back(Record{.what = operation, .line = items_.size() + 1});
    }
}

const TraceItem* RunSource::next() { return at_ < items_.size() ? &items_[at_++] : nullptr; }

AccessRun RunSource::next_accesses() {
    run_.clear();
    if (form_ == Form::kRecords) return {};
    const std::size_t first = at_;
    for (; at_ < items_.size() && run_.size() < most_; ++at_) {
        const Operation& operation = std::get<Operation>(std::get<Record>(items_[at_]).what);
        const auto* const access = std::get_if<Access>(&operation);
        if (access == nullptr || !PackedAccess::fits(*access)) break;
        run_.push_back(PackedAccess(*access));
    }
    return {.accesses = run_, .first_line = first + 1};
}

}  // namespace nestwalk::test
