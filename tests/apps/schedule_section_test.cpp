// The keys that say how vCPUs are ordered in time: read, written back, and refused.
#include "apps/experiment_file.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

const std::string kWorkload = "workload: {program: load 0x1000}\n";

Experiment with_system(const std::string& system) {
    const std::string text = "title: t\nmachine: exact\nsystem:\n  " + system + "\n" + kWorkload;
    return read_experiment(read_yaml(text, "e.yaml"), "/");
}

std::string system_error(const std::string& system) {
    return error_of([&] { with_system(system); });
}

TEST_SUITE("schedule of vCPUs") {
    TEST_CASE("how vCPUs are ordered in time is read and written back") {
        const Experiment experiment = with_system(
            "{schedule_seed: 9, steal: {mean_interval: 30_000_000, duration: 5_000_000, seed: 2}}");
        CHECK(experiment.schedule.seed == 9);
        CHECK(experiment.schedule.steal ==
              StealParameters{{30'000'000'000, ClockDomain::kNanoseconds},
                              {5'000'000'000, ClockDomain::kNanoseconds},
                              2});
        CHECK(experiment.schedule.steal.enabled());
        CHECK(read_experiment(resolve(experiment), "/") == experiment);
        CHECK_FALSE(with_system("steal: {}").schedule.steal.enabled());
        CHECK_FALSE(with_system("steal: {duration: 5}").schedule.steal.enabled());
    }

    TEST_CASE("absences that are too short or too long or of no length are refused") {
        CHECK(system_error("steal: {mean_interval: 999, duration: 1}") ==
              "e.yaml:4:26: system.steal.mean_interval: found '999', expected 0 or a number of ns "
              "from 1000");
        CHECK(contains(system_error("steal: {mean_interval: 10_000_000_001, duration: 1}"),
                       "e.yaml:4:26: system.steal.mean_interval: found '10_000_000_001'"));
        CHECK(contains(system_error("steal: {mean_interval: 1000, duration: 10_000_000_001}"),
                       "e.yaml:4:42: system.steal.duration: found '10_000_000_001'"));
        CHECK(system_error("steal: {mean_interval: 1000}") ==
              "e.yaml:4:10: system.steal: has a mean_interval but no duration, expected how many "
              "ns each takes");
        CHECK(contains(system_error("steal: {duration: -1}"), "system.steal.duration: found '-1'"));
        CHECK(contains(system_error("steal: {mean: 1}"), "system.steal: unknown key 'mean'"));
    }
}

}  // namespace
}  // namespace nestwalk
