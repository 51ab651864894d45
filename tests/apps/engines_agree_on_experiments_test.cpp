// The two engines keep the same time on every experiment and lesson that comes with the program;
// loops are shortened, since the cycle engine executes every iteration.
#include "apps/experiment_file.h"
#include "apps/simulation.h"
#include "apps/text_file.h"
#include "apps/yaml_reader.h"

#include <cmath>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

namespace fs = std::filesystem;

Experiment shortened(const fs::path& path) {
    const std::string text = std::regex_replace(read_text_file(path.string()),
                                                std::regex("repeat [0-9_]{4,} "), "repeat 60 ");
    return read_experiment(read_yaml(text, path.string()), path.parent_path());
}

/// With the cycle engine; `experiment` becomes one whose trace is in the order that came of it.
Counters simulate(Experiment& experiment) {
    std::string order;
    ScheduleWriter schedule([&](std::string_view text) { order += text; });
    const Counters simulated = run(experiment, {}, schedule).statistics.whole();
    experiment.workload = Program{order, {"order", 1, 1}};
    return simulated;
}

void check_agreement(Experiment experiment) {
    const bool alone = experiment.system.vcpus == 1;
    const Counters simulated =
        alone ? run(experiment, {}, Engine::kCycle).statistics.whole() : simulate(experiment);
    const Counters replayed = run(experiment, {}, Engine::kReplay).statistics.whole();
    const double allowed = 0.01 * static_cast<double>(replayed[counter::kCycles]);
    for (std::size_t at = 0; at < counter::kCount; ++at) {
        CAPTURE(counter_infos()[at].name);
        const auto difference =
            static_cast<double>(simulated[at]) - static_cast<double>(replayed[at]);
        if (!counter::needs_clock(at)) CHECK(difference == 0);
        // Waiting for others is in no replay.
        if (counter::is_time(at) && alone) CHECK(std::fabs(difference) <= allowed);
    }
    CHECK(simulated[counter::kTimedWalks] == replayed[counter::kTimedWalks]);
}

TEST_SUITE("engines agree") {
    TEST_CASE("replay and the cycle engine keep the same time in every experiment and lesson") {
        std::size_t compared = 0;
        for (const char* const folder : {"experiments", "lessons"}) {
            for (const fs::directory_entry& file :
                 fs::directory_iterator(fs::path(NESTWALK_CONFIG_DIR) / folder)) {
                CAPTURE(file.path().string());
                check_agreement(shortened(file.path()));
                ++compared;
            }
        }
        CHECK(compared >= 20);
    }
}

}  // namespace
}  // namespace nestwalk
