// The cycle engine against closed forms. That it keeps the same time as replay everywhere else is
// the claim of engines_agree_test.cpp.
#include "tests/sim/timed_run.h"
#include "traces/source_location.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Cause = CycleCause;

/// Every access walks, and a walk is all that takes time.
CycleRun only_walks(std::uint32_t walkers, std::int64_t walk_cycles) {
    CycleRun run;
    run.machine = walker({});
    run.timing.walkers = walkers;
    run.timing.walk = core_cycles(walk_cycles);
    return run;
}

std::uint64_t look_ups(const Counters& counters) {
    std::uint64_t sum = 0;
    for (std::size_t group = 0; group < kLookupGroups; ++group) {
        sum += counters[counter::kLookups + group];
    }
    return sum;
}

class CompletionTimes final : public ReplayLog {
public:
    void translation(std::size_t, const Access&, VirtAddr, const Outcome&,
                     std::optional<Cycles> completed) override {
        times.push_back(completed.value());
    }
    void operation(std::size_t, const Operation&, const Outcome&,
                   std::optional<Cycles> completed) override {
        times.push_back(completed.value());
    }
    std::vector<Cycles> times{};
};

TEST_SUITE("cycle engine") {
    TEST_CASE("cycle engine: W walkers take ceil of M by W walks for M independent misses") {
        for (const std::uint32_t walkers : {1u, 2u, 3u, 4u, 6u}) {
            for (const std::uint32_t misses : {1u, 2u, 5u, 6u, 7u, 12u}) {
                CAPTURE(walkers);
                CAPTURE(misses);
                const CycleRun run = only_walks(walkers, 40);
                const Counters counters =
                    run("load 0x1000 count=" + std::to_string(misses) + " stride=4K");
                CHECK(cycles(counters) == 40 * ((misses + walkers - 1) / walkers));
                CHECK(time_of(counters, counter::kWalkPending) == 40 * misses);
            }
        }
    }

    TEST_CASE("cycle engine: a dependent chase costs the sum of its walks and loads") {
        CycleRun run = only_walks(4, 40);
        run.timing.l1d = core_cycles(5);
        CHECK(cycles(run("load 0x1000 count=10 stride=4K dep")) == 10 * (40 + 5));
        CHECK(cycles(run("load 0x1000 count=10 stride=4K dep"), Cause::kWalk) == 10 * 40);
    }

    TEST_CASE("cycle engine: a look-up that takes L more costs L for each that is made") {
        CycleRun run;
        run.system = {.paging = Paging::kNested};
        run.machine.l1_dtlb.clear();
        run.machine.stlb.clear();
        run.timing.walk = core_cycles(7);
        run.timing.memory = core_cycles(30);
        const std::string chase = "load 0x400000 count=30 stride=4K dep";
        const Counters before = run(chase);
        run.timing.paging_structure_cache = core_cycles(3);
        run.timing.nested_tlb = core_cycles(3);
        run.timing.guest_physical_paging_structure_cache = core_cycles(3);
        const Counters after = run(chase);
        CHECK(look_ups(after) > 60);
        CHECK(cycles(after) - cycles(before) == 3.0 * static_cast<double>(look_ups(after)));
    }

    TEST_CASE("cycle engine: with warm paging-structure caches 5 levels cost what 4 do") {
        CycleRun run;
        run.machine.l1_dtlb.clear();
        run.machine.stlb.clear();
        run.timing.walk = core_cycles(7);
        run.timing.memory = core_cycles(30);
        run.timing.paging_structure_cache = core_cycles(2);
        const std::string program =
            "load 0x400000\nmfence\nphase \"measured\"\nload 0x401000 count=20 stride=4K dep";
        const double four = cycles(run.measured(program));
        const Counters cold_four = run(program);
        run.system.guest.levels = 5;
        CHECK(cycles(run.measured(program)) == four);
        CHECK(four == 20 * (7 + 2 + 30));
        CHECK(cycles(run(program)) == cycles(cold_four) + 30);
    }

    TEST_CASE(
        "cycle engine: a hit on a page whose walk is under way waits for the end of the walk") {
        CycleRun run;
        run.timing.walk = core_cycles(50);
        run.timing.l1d = core_cycles(4);
        const Counters counters = run("load 0x1000\nload 0x1008\nload 0x1010");
        CHECK(cycles(counters) == 54);
        CHECK(counters[counter::kHitsOnPending] == 2);
        CHECK(run("load 0x1000\ncompute 50\nload 0x1008")[counter::kHitsOnPending] == 0);
        CHECK(run("load 0x1000\ncompute 49\nload 0x1008")[counter::kHitsOnPending] == 1);
    }

    TEST_CASE("cycle engine: a walk reads an entry that another brings when that has come") {
        CycleRun run;
        run.timing.walkers = 2;
        run.timing.memory = core_cycles(30);
        // The second walk starts from the PDE that the first makes with its third read.
        CHECK(cycles(run("load 0x1000\nload 0x2000")) == 4 * 30);
        CHECK(time_of(run("load 0x1000\nload 0x2000"), counter::kWalkPending) == 2 * 4 * 30);
    }

    TEST_CASE("cycle engine: the reorder buffer holds up what is behind a walk") {
        CycleRun run;
        run.timing.walk = core_cycles(100);
        run.timing.l1d = core_cycles(4);
        run.timing.reorder_entries = 8;
        const std::string warm = "load 0x1000\nmfence\nphase \"measured\"\n";
        // The 8th load after the miss is dispatched when the miss has retired.
        CHECK(cycles(run.measured(warm + "load 0x2000\nload 0x1000 count=7")) == 104);
        CHECK(cycles(run.measured(warm + "load 0x2000\nload 0x1000 count=8")) == 108);
    }

    TEST_CASE(
        "cycle engine: lines come no closer than the interval and as many as may be missing") {
        CycleRun run;
        run.system.cached_data = CachedData::kModelled;
        run.system.cache_start = CacheStart::kCold;
        run.machine.caches = {.l1d = {.bytes = 4096}};
        run.timing.memory = core_cycles(100);
        run.timing.load_ports = 1;
        const std::string warm = "load 0x1000\nmfence\nphase \"measured\"\n";
        CHECK(cycles(run.measured(warm + "load 0x1040 count=8 stride=64")) == 107);
        run.timing.line_interval = core_cycles(10);
        CHECK(cycles(run.measured(warm + "load 0x1040 count=8 stride=64")) == 170);
        run.timing.outstanding_misses = 2;
        CHECK(cycles(run.measured(warm + "load 0x1040 count=8 stride=64")) == 4 * 100 + 10);
    }

    TEST_CASE("cycle engine: a flush waits for all that is under way unless it overlaps") {
        CycleRun run = only_walks(1, 40);
        run.timing.bare.mov_cr3 = core_cycles(30);
        CHECK(cycles(run("load 0x1000\nmov-cr3\nload 0x1000")) == 40 + 30 + 40);
        run.timing.mov_cr3_drain = Drain::kOverlap;
        CHECK(cycles(run("load 0x1000\nmov-cr3\nload 0x1000")) == 40 + 40);
    }

    TEST_CASE("cycle engine: an exception is delivered when everything earlier has completed") {
        CycleRun run = only_walks(2, 40);
        run.timing.fault = core_cycles(900);
        run.timing.l1d = core_cycles(5);
        const Counters counters = run("load 0x1000\nload 0x8000000000000000\nload 0x2000");
        CHECK(cycles(counters) == 45 + 900 + 45);
        CHECK(cycles(counters, Cause::kFault) == 900);
    }

    TEST_CASE("cycle engine: time-stamp reads are compared within a phase") {
        CycleRun run = only_walks(1, 40);
        run.timing.core_mhz = 2000;
        const Counters counters =
            run("rdtsc\nload 0x1000\nrdtsc fenced\nphase \"next\"\ncompute 70\nrdtsc");
        CHECK(time_of(counters, counter::kTscBetweenReads) == 20);
    }

    TEST_CASE("cycle engine: asking when each instruction completed changes no time") {
        const std::string program =
            "load 0x1000 count=40 stride=4K\nload 0x3ffc\nstore 0x9000 count=30\nmov-cr3\n"
            "fetch 0x1000\nload 0x1000 count=9 stride=4K dep\nload 0x8000000000000000\nrdtsc";
        CycleRun run;
        run.timing.walkers = 3;
        run.timing.walk = core_cycles(11);
        run.timing.memory = core_cycles(80);
        run.timing.l1d = core_cycles(5);
        run.timing.reorder_entries = 20;
        const Counters unasked = run(program);

        TextTraceReader source(program, {"program", 1, 1});
        System system(run.machine, run.system);
        CycleEngine engine(run.timing, 1);
        CompletionTimes log;
        Replay replay(system, {.clock = &engine, .log = &log});
        replay.run(source);
        CHECK(replay.statistics().whole() == unasked);
        CHECK(cycles(unasked) > 1000);
        CHECK(log.times.back().value() == cycles(unasked));
    }

    TEST_CASE("cycle engine: time that would overflow is an error") {
        const CycleRun run;
        CHECK_THROWS_WITH_AS(run("repeat 5000000 {\ncompute 1000000000\n}"),
                             doctest::Contains("simulated time goes beyond"), InputError);
    }

    TEST_CASE("cycle engine: engines stand side by side in one process") {
        const CycleRun run = only_walks(1, 40);
        const CycleEngine other(run.timing, 2);
        const CycleEngine another(run.timing, 1);
        CHECK(cycles(run("load 0x1000 count=3 stride=4K")) == 120);
        CHECK(cycles(run("load 0x1000 count=4 stride=4K")) == 160);
    }

    TEST_CASE("cycle engine: every vCPU has its own time and walkers") {
        CycleRun run = only_walks(1, 40);
        run.system.vcpus = 2;
        TextTraceReader source(
            "load 0x1000 count=5 stride=4K\ncpu 1\nload 0x1000\ncpu 0\nload 0x1000",
            {"program", 1, 1});
        System system(run.machine, run.system);
        CycleEngine engine(run.timing, 2);
        Replay replay(system, {.clock = &engine});
        replay.run(source);
        CHECK(engine.completed(0).value() == 6 * 40);
        CHECK(engine.completed(1).value() == 40);
    }
}

}  // namespace
}  // namespace nestwalk::test
