// Single stages of the replay engine's cascade, each beside the naive array of its geometry, over
// what it has to look up of random loads. Arrays are warm, and stay so from one pass to the next.

#include "bench/naive.h"
#include "bench/workloads.h"
#include "models/data_caches.h"
#include "sim/cascade_intake.h"
#include "sim/look_up_stage.h"

#include <algorithm>
#include <string>

#include <benchmark/benchmark.h>

namespace nestwalk::bench {
namespace {

constexpr std::size_t kAccesses = 1'000'000;
constexpr std::size_t kBatch = CascadeIntake::kMostAccesses;

struct Geometry {
    const char* name{};
    std::uint32_t sets{};
    std::uint32_t ways{};
    int shift{};  ///< from an address to what is looked up
};
constexpr Geometry kL1{"stage-l1", 16, 4, 12};
constexpr Geometry kStlb{"stage-stlb", 128, 12, 12};
/// Of entries of page tables, eight bytes a page.
constexpr Geometry kL1d{"stage-l1d", 64, 8, 12 + 3};
constexpr Geometry kL2{"stage-l2", 1024, 4, 12 + 3};

const std::vector<std::uint64_t>& addresses() {
    static const std::vector<std::uint64_t> made = random_addresses(kAccesses);
    return made;
}

void count(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAccesses));
}

void naive(benchmark::State& state, Geometry geometry) {
    NaiveArray array(geometry.sets, geometry.ways);
    std::uint64_t misses = 0;
    for ([[maybe_unused]] auto _ : state) {
        for (const std::uint64_t address : addresses()) {
            misses += array.use(address >> geometry.shift) ? 0u : 1u;
        }
        benchmark::DoNotOptimize(misses);
    }
    count(state);
}

/// A batch is copied before it is looked up, since what misses is moved to its front.
void stage(benchmark::State& state, Geometry geometry, ReplacementPolicy policy) {
    SetAssociative<CacheLine> storage(geometry.sets, geometry.ways, IndexHash::kLinear,
                                      {policy, geometry.sets, geometry.ways, 1});
    LookUpStage<CacheLine> look_up{.storage = &storage,
                                   .lanes = storage.lanes(DataCache::kNumberShift)};
    std::vector<StageItem> items;
    for (const std::uint64_t address : addresses()) {
        items.push_back({DataCache::tag_of(address >> geometry.shift), items.size()});
    }
    std::vector<StageItem> batch(kBatch);
    std::size_t misses = 0;
    for ([[maybe_unused]] auto _ : state) {
        for (std::size_t at = 0; at < items.size(); at += kBatch) {
            const std::size_t taken = std::min(kBatch, items.size() - at);
            std::copy_n(items.data() + at, taken, batch.data());
            misses += look_up.look_up(batch.data(), taken, {});
        }
        benchmark::DoNotOptimize(misses);
    }
    count(state);
}

// --- Repeats of a page --------------------------------------------------------------------------

void naive_repeats(benchmark::State& state, const std::vector<PackedAccess>& accesses) {
    std::vector<std::uint32_t> positions(accesses.size());
    for ([[maybe_unused]] auto _ : state) {
        std::size_t found = 0;
        std::uint64_t last = ~std::uint64_t{0};
        for (std::size_t at = 0; at < accesses.size(); ++at) {
            const std::uint64_t page = accesses[at].va().value() >> 12;
            if (page != last) positions[found++] = static_cast<std::uint32_t>(at);
            last = page;
        }
        benchmark::DoNotOptimize(positions.data());
    }
    count(state);
}

void repeats(benchmark::State& state, const std::vector<PackedAccess>& accesses) {
    std::vector<std::uint32_t> positions(kBatch + 8);
    for ([[maybe_unused]] auto _ : state) {
        KindSums sums;
        for (std::size_t at = 0; at < accesses.size(); at += kBatch) {
            const std::size_t taken = std::min(kBatch, accesses.size() - at);
            benchmark::DoNotOptimize(
                new_pages(accesses.data() + at, taken, positions.data(), sums));
        }
    }
    count(state);
}

template <typename Run>
void add(const std::string& name, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void add_stage(Geometry geometry, const char* tree_name, ReplacementPolicy tree) {
    const std::string group = std::string(geometry.name) + '/';
    add(group + "naive", [=](benchmark::State& state) { naive(state, geometry); });
    add(group + "lru",
        [=](benchmark::State& state) { stage(state, geometry, ReplacementPolicy::kTrueLru); });
    add(group + tree_name, [=](benchmark::State& state) { stage(state, geometry, tree); });
}

/// Google Benchmark knows its benchmarks before main begins.
const bool kAdded = [] {
    for (const bool random : {true, false}) {
        const std::string group = random ? "stage-repeats-random/" : "stage-repeats-words/";
        const auto made = [random] {
            return loads_of(random ? addresses() : sequential_addresses(kAccesses, 8));
        };
        add(group + "naive", [made](benchmark::State& state) { naive_repeats(state, made()); });
        add(group + "dropped", [made](benchmark::State& state) { repeats(state, made()); });
    }
    add_stage(kL1, "tree-plru", ReplacementPolicy::kTreePlru);
    add_stage(kStlb, "mru3-plru4", ReplacementPolicy::kMru3Plru4);
    add_stage(kL1d, "tree-plru", ReplacementPolicy::kTreePlru);
    add_stage(kL2, "tree-plru", ReplacementPolicy::kTreePlru);
    return true;
}();

}  // namespace
}  // namespace nestwalk::bench
