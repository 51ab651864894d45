// Whole replays, against the naive TLB of the same run.

#include "apps/machine_file.h"
#include "bench/naive.h"
#include "bench/trace_files.h"
#include "bench/workloads.h"
#include "models/system.h"
#include "sim/replay.h"
#include "traces/open_trace.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>

#include <benchmark/benchmark.h>

namespace nestwalk::bench {
namespace {

constexpr std::size_t kAccesses = 10'000'000;
/// The environment variable that names a trace to replay as well.
constexpr const char* kOwnTrace = "NESTWALK_BENCH_TRACE";

using Make = std::vector<PackedAccess> (*)();

/// Made when first asked for: in memory and in a file.
struct Workload {
    explicit Workload(Make make) : accesses(make()) {}

    std::vector<PackedAccess> accesses;
    TemporaryFile file{"loads.nwb", binary_trace(accesses)};
};

const Workload& workload_of(Make make) {
    static std::map<Make, Workload> made;
    return made.try_emplace(make, make).first->second;
}

std::vector<PackedAccess> random_64m() { return loads_of(random_addresses(kAccesses)); }
std::vector<PackedAccess> random_32() { return loads_of(random_in_32_pages(kAccesses)); }
std::vector<PackedAccess> words_32() { return loads_of(sequential_addresses(kAccesses, 8)); }
std::vector<PackedAccess> lines_32() { return loads_of(sequential_addresses(kAccesses, 64)); }
std::vector<PackedAccess> pages_32() {
    return loads_of(sequential_addresses(kAccesses, 4096 + 64));
}

void count(benchmark::State& state, std::size_t accesses) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(accesses));
}

/// The accesses of a trace that the caller has; what else is in it is passed over.
std::vector<PackedAccess> own_trace() {
    const OpenedTrace trace = open_trace(std::getenv(kOwnTrace), TraceFormat::kAuto);
    std::vector<PackedAccess> accesses;
    for (;;) {
        const AccessRun run = trace.source->next_accesses();
        accesses.insert(accesses.end(), run.accesses.begin(), run.accesses.end());
        if (run.empty() && trace.source->next() == nullptr) return accesses;
    }
}

void naive(benchmark::State& state, Make make) {
    const std::vector<PackedAccess>& accesses = workload_of(make).accesses;
    for ([[maybe_unused]] auto _ : state) {
        NaiveTlb tlb;
        for (const PackedAccess access : accesses) tlb.load(access.va().value());
        benchmark::DoNotOptimize(tlb.stlb_misses);
    }
    count(state, accesses.size());
}

enum class From { kMemory, kFile };

struct Variant {
    From from{};
    Paging paging{};
    CachedData data{};
    bool timed{};
};

void replay(benchmark::State& state, Make make, Variant variant) {
    const Workload& workload = workload_of(make);
    static const Machine machine = load_machine(NESTWALK_CONFIG_DIR "/machines/skylake.yaml");
    SystemParameters parameters;
    parameters.paging = variant.paging;
    parameters.cached_data = variant.data;
    for ([[maybe_unused]] auto _ : state) {
        System system(machine.parameters, parameters);
        Replay replay(system, {.timing = variant.timed ? &machine.timing : nullptr});
        if (variant.from == From::kFile) {
            replay.run(*open_trace(workload.file.path(), TraceFormat::kNwb).source);
        } else {
            AccessSource source(workload.accesses);
            replay.run(source);
        }
        benchmark::DoNotOptimize(replay.statistics().whole()[0]);
    }
    count(state, workload.accesses.size());
}

struct Trace {
    const char* name;
    Make make;
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

void add_benchmarks(const Trace& trace) {
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

/// Throws InputError where the caller's own trace cannot be opened.
void add_all_benchmarks() {
    for (const Trace& trace : kTraces) add_benchmarks(trace);
    if (std::getenv(kOwnTrace) == nullptr) return;
    (void)open_trace(std::getenv(kOwnTrace), TraceFormat::kAuto);
    add_benchmarks({"own", own_trace});
}

}  // namespace
}  // namespace nestwalk::bench

int main(int argc, char** argv) {
    try {
        nestwalk::bench::add_all_benchmarks();
        benchmark::Initialize(&argc, argv);
        if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
        benchmark::RunSpecifiedBenchmarks();
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
