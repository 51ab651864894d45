// Reading traces of each form, against the plainest reader of lines in the same run.

#include "bench/trace_files.h"
#include "traces/open_trace.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

namespace nestwalk::bench {
namespace {

constexpr std::size_t kAccesses = 1'000'000;

void count(benchmark::State& state, const TemporaryFile& file) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAccesses));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes()));
}

/// A line of lackey is an address behind three characters, if one asks no more.
void naive(benchmark::State& state, const TemporaryFile& file) {
    for ([[maybe_unused]] auto _ : state) {
        std::ifstream in(file.path());
        std::uint64_t sum = 0;
        for (std::string line; std::getline(in, line);) {
            sum += std::strtoull(line.c_str() + 3, nullptr, 16);
        }
        benchmark::DoNotOptimize(sum);
    }
    count(state, file);
}

/// Whatever the form, everything is handed out: in bulk where the reader can, else a record each.
void read(benchmark::State& state, const TemporaryFile& file) {
    for ([[maybe_unused]] auto _ : state) {
        const OpenedTrace trace = open_trace(file.path(), TraceFormat::kAuto);
        std::uint64_t sum = 0;
        std::size_t accesses = 0;
        for (;;) {
            const AccessRun run = trace.source->next_accesses();
            for (const PackedAccess access : run.accesses) sum += access.va().value();
            accesses += run.accesses.size();
            if (!run.empty()) continue;
            if (trace.source->next() == nullptr) break;
            ++accesses;
        }
        benchmark::DoNotOptimize(sum);
        if (accesses < kAccesses) state.SkipWithError("accesses are missing");
    }
    count(state, file);
}

template <typename Run>
void add(const std::string& name, const TraceForm& form, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), [&form, run](benchmark::State& state) {
        run(state, {form.name, form.content(kAccesses)});
    })->Unit(benchmark::kMillisecond);
}

/// Google Benchmark knows its benchmarks before main begins.
const bool kAdded = [] {
    for (const TraceForm& form : trace_forms()) {
        if (form.name == "lackey") add("reading/naive", form, naive);
        add("reading/" + std::string(form.name), form, read);
    }
    return true;
}();

}  // namespace
}  // namespace nestwalk::bench
