// The table of intervals, told of accesses together or one by one, says the same.
#include "apps/interval_log.h"
#include "tests/apps/program.h"
#include "tests/sim/cascade_trial.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

struct Logged {
    std::string table{};
    WorkingSets sets{};
    BulkReport report{};
};

Logged logged(const Workplace& place, const CascadeTrial& trial, std::uint64_t references,
              const TimingParameters* timing, Bulk bulk) {
    const std::string path = place.path("table.csv");
    IntervalLog log(path, references, IntervalLog::usual_columns());
    System system(trial.setting.machine, trial.setting.system);
    Replay replay(system, {.bulk = bulk, .timing = timing, .log = &log});
    RunSource source(trial.program, RunSource::Form::kRuns, 2000);
    replay.run(source);
    log.finish();
    return {place.read("table.csv"), log.working_sets(), replay.bulk_report()};
}

}  // namespace

TEST_SUITE("interval log") {
    TEST_CASE("intervals of accesses in bulk are those of accesses one at a time") {
        const Workplace place;
        std::uint64_t in_bulk = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            INFO("seed ", seed);
            const CascadeTrial trial = random_cascade_trial(seed, 3000);
            const TimingParameters* const timing = seed % 2 == 0 ? nullptr : &trial.timing;
            const std::uint64_t references = 255 + seed * seed;  // the first is told of each
            const Logged single = logged(place, trial, references, timing, Bulk::kOff);
            const Logged bulk = logged(place, trial, references, timing, Bulk::kOn);
            REQUIRE(bulk.table == single.table);
            REQUIRE(bulk.sets.sum == single.sets.sum);
            REQUIRE(bulk.sets.intervals == single.sets.intervals);
            REQUIRE(single.report.staged == 0);
            in_bulk += bulk.report.staged;
        }
        CHECK(in_bulk > 5000);
    }
}

}  // namespace nestwalk::test
