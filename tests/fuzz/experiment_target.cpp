#include "apps/experiment_file.h"
#include "apps/simulation.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "models/operation_error.h"
#include "tests/fuzz/limited_source.h"
#include "tests/fuzz/targets.h"
#include "traces/source_location.h"

#include <optional>
#include <string>
#include <variant>

namespace nestwalk::fuzz {
namespace {

// There is no such folder, so that an experiment finds no files but the machines by name.
constexpr const char* kBase = "/nonexistent";

// Larger machines are possible; their memory only slows the fuzzer down.
constexpr std::uint64_t kMostEntries = 1 << 16;

Experiment read(std::string text) { return read_experiment(read_yaml(text, "experiment"), kBase); }

void replay_shortened(const Experiment& experiment) {
    if (!std::holds_alternative<Program>(experiment.workload)) return;
    if (experiment.machine.parameters.bounded_entries() * experiment.system.vcpus > kMostEntries)
        return;
    const std::unique_ptr<TraceSource> source = open_workload(experiment.workload).source;
    LimitedSource limited(*source);
    System system(experiment.machine.parameters, experiment.system);
    Replay replay(system, {.checking = Checking::kOn});
    try {
        replay.run(limited);
    } catch (const InputError&) {
    }
}

}  // namespace

void experiment(std::string_view input) {
    std::optional<Experiment> first;
    try {
        first = read(std::string(input));
    } catch (const InputError&) {
        return;
    }
    const std::string written = write_yaml(resolve(*first));
    try {
        if (!(read(written) == *first)) throw Broken("resolved, it is another experiment");
    } catch (const InputError& error) {
        throw Broken(std::string("resolved, it is refused: ") + error.what());
    }
    replay_shortened(*first);
}

}  // namespace nestwalk::fuzz
