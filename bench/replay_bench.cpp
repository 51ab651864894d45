// Whole replays, against the naive TLB of the same run.

#include "apps/machine_file.h"
#include "bench/naive.h"
#include "bench/trace_files.h"
#include "bench/workloads.h"
#include "models/system.h"
#include "sim/replay.h"
#include "traces/open_trace.h"

#include <map>

#include <benchmark/benchmark.h>

namespace nestwalk::bench {
namespace {

constexpr std::size_t kAccesses = 10'000'000;

using Addresses = std::vector<std::uint64_t> (*)();

const std::vector<std::uint64_t>& addresses_of(Addresses make) {
    static std::vector<std::pair<Addresses, std::vector<std::uint64_t>>> made;
    for (const auto& [maker, addresses] : made) {
        if (maker == make) return addresses;
    }
    return made.emplace_back(make, make()).second;
}

/// Made when first asked for: in memory and in a file.
struct Loads {
    explicit Loads(const std::vector<std::uint64_t>& addresses) : accesses(loads_of(addresses)) {}

    std::vector<PackedAccess> accesses;
    TemporaryFile file{"loads.nwb", binary_trace(accesses)};
};

const Loads& loads_of(Addresses make) {
    static std::map<Addresses, Loads> made;
    return made.try_emplace(make, addresses_of(make)).first->second;
}

std::vector<std::uint64_t> random_64m() { return random_addresses(kAccesses); }
std::vector<std::uint64_t> random_32() { return random_in_32_pages(kAccesses); }
std::vector<std::uint64_t> words_32() { return sequential_addresses(kAccesses, 8); }
std::vector<std::uint64_t> lines_32() { return sequential_addresses(kAccesses, 64); }
std::vector<std::uint64_t> pages_32() { return sequential_addresses(kAccesses, 4096 + 64); }

void count(benchmark::State& state, std::size_t accesses) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(accesses));
}

void naive(benchmark::State& state, Addresses make) {
    const std::vector<std::uint64_t>& addresses = addresses_of(make);
    for ([[maybe_unused]] auto _ : state) {
        NaiveTlb tlb;
        for (const std::uint64_t address : addresses) tlb.load(address);
        benchmark::DoNotOptimize(tlb.stlb_misses);
    }
    count(state, addresses.size());
}

enum class From { kMemory, kFile };

struct Variant {
    From from{};
    Paging paging{};
    CachedData data{};
    bool timed{};
};

void replay(benchmark::State& state, Addresses make, Variant variant) {
    const Loads& loads = loads_of(make);
    static const Machine machine = load_machine(NESTWALK_CONFIG_DIR "/machines/skylake.yaml");
    SystemParameters parameters;
    parameters.paging = variant.paging;
    parameters.cached_data = variant.data;
    for ([[maybe_unused]] auto _ : state) {
        System system(machine.parameters, parameters);
        Replay replay(system, {.timing = variant.timed ? &machine.timing : nullptr});
        if (variant.from == From::kFile) {
            replay.run(*open_trace(loads.file.path(), TraceFormat::kNwb).source);
        } else {
            AccessSource source(loads.accesses);
            replay.run(source);
        }
        benchmark::DoNotOptimize(replay.statistics().whole()[0]);
    }
    count(state, loads.accesses.size());
}

struct Trace {
    const char* name;
    Addresses make;
};
constexpr Trace kTraces[] = {
    {"random-64M", random_64m},   {"random-32-pages", random_32}, {"words-32-pages", words_32},
    {"lines-32-pages", lines_32}, {"pages-32", pages_32},
};
struct NamedVariant {
    const char* name;
    Variant variant;
};
constexpr NamedVariant kVariants[] = {
    {"native", {}},
    {"native-nwb", {.from = From::kFile}},
    {"nested-nwb", {.from = From::kFile, .paging = Paging::kNested}},
    {"nested", {.paging = Paging::kNested}},
    {"native-timed", {.timed = true}},
    {"nested-timed", {.paging = Paging::kNested, .timed = true}},
    {"modelled", {.data = CachedData::kModelled}},
    {"modelled-timed", {.data = CachedData::kModelled, .timed = true}},
};

void add_benchmarks() {
    for (const Trace& trace : kTraces) {
        const std::string name = std::string(trace.name) + '/';
        const auto add = [&](const std::string& what, auto run) {
            benchmark::RegisterBenchmark((name + what).c_str(), run)->Unit(benchmark::kMillisecond);
        };
        add("naive", [make = trace.make](benchmark::State& state) { naive(state, make); });
        for (const NamedVariant& each : kVariants) {
            add(each.name, [make = trace.make, variant = each.variant](benchmark::State& state) {
                replay(state, make, variant);
            });
        }
    }
}

}  // namespace
}  // namespace nestwalk::bench

int main(int argc, char** argv) {
    nestwalk::bench::add_benchmarks();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
