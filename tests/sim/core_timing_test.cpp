// The clock of the replay engine against closed forms, rule by rule of docs/timing.md.
#include "tests/sim/timed_run.h"
#include "traces/source_location.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Cause = CycleCause;

TEST_SUITE("time: core") {
    TEST_CASE("instructions are dispatched issue_width a cycle") {
        TimedRun run;
        run.timing.issue_width = 4;
        // The first one is dispatched at 0, the last of n at (n - 1) / 4.
        CHECK(cycles(run("load 0x1000\nmfence\nphase \"measured\"\nload 0x1000 count=400")) == 100);
    }

    TEST_CASE("loads start one a port and cycle") {
        TimedRun run;
        run.timing.load_ports = 2;
        CHECK(cycles(run("load 0x1000 count=201")) == 100);
        run.timing.store_ports = 1;
        CHECK(cycles(run("store 0x1000 count=201")) == 200);
    }

    TEST_CASE("an independent load that hits takes the L1D latency, a dependent chain their sum") {
        TimedRun run;
        run.timing.l1d = core_cycles(5);
        CHECK(cycles(run("load 0x1000")) == 5);
        CHECK(cycles(run("load 0x1000 count=10 dep")) == 50);
        // 16 a cycle, 8 ports: the last starts in cycle 1
        CHECK(cycles(run("load 0x1000 count=16")) == 6);
    }

    TEST_CASE("dep=N waits for the Nth load before") {
        TimedRun run;
        run.timing.l1d = core_cycles(5);
        // Two chains side by side.
        CHECK(cycles(run("load 0x1000 count=10 dep=2")) == 25);
        CHECK(cycles(run("load 0x1000 count=16 dep=8")) == 10);
        // A chain through every second load; those between are free.
        std::string program;
        for (int i = 0; i < 6; ++i) program += "load 0x1000\nload 0x1000 dep=2\n";
        CHECK(cycles(run(program)) == 30);
    }

    TEST_CASE("no more instructions are in flight than the reorder buffer holds") {
        TimedRun run;
        run.timing.l1d = core_cycles(10);
        run.timing.reorder_entries = 4;
        // Four at a time: the next four start when those have retired.
        CHECK(cycles(run("load 0x1000 count=40")) == 100);
    }

    TEST_CASE("compute holds up dispatch, and loads before it go on") {
        TimedRun run;
        run.timing.l1d = core_cycles(10);
        CHECK(cycles(run("compute 100")) == 100);
        CHECK(cycles(run("load 0x1000\ncompute 7")) == 10);
        CHECK(cycles(run("load 0x1000\ncompute 70\nload 0x1000")) == 80);
    }

    TEST_CASE("time that would overflow is an error") {
        TimedRun run;
        const std::string program = "repeat 5000000 {\ncompute 1000000000\n}";
        CHECK_THROWS_WITH_AS(run(program), doctest::Contains("simulated time goes beyond"),
                             InputError);
        // Multiplied out, 4.99 x 10^15 cycles fit the counter; executed, they would not fit the
        // clock.
        run.loop_collapse = LoopCollapse::kOn;
        CHECK(cycles(run(program)) == 5e15);
        CHECK_THROWS_AS(run("compute 1000000001"), InputError);
    }

    TEST_CASE("an access that crosses a page completes with its later part") {
        TimedRun run;
        run.timing.memory = core_cycles(3);
        run.timing.walkers = 2;
        // Both pages walk from the root, four reads each; the second waits for the entries that the
        // first has asked for, and reads its own leaf.
        CHECK(cycles(run("load 0x1ffc")) == 12);
        CHECK(run("load 0x1ffc")[counter::kReferences] == 1);
        // A chain goes on from the later part.
        CHECK(cycles(run("load 0x1ffc\nload 0x1000 dep\nload 0x1000 dep")) == 12);
    }

    TEST_CASE("the causes of all cycles add up to the total") {
        TimedRun run;
        run.timing.l1d = core_cycles(4);
        run.timing.stlb = core_cycles(7);
        run.timing.memory = core_cycles(30);
        run.timing.walk = core_cycles(11);
        run.timing.mfence = core_cycles(33);
        run.timing.bare.invlpg = core_cycles(200);
        run.timing.bare.mov_cr3 = core_cycles(100);
        run.timing.fault = core_cycles(900);
        const Counters counters = run(
            "load 0x1000 count=20 stride=4K\ninvlpg 0x1000\nload 0x1000\nmfence\nmov-cr3\n"
            "fetch 0x400000\nstore 0x2000 count=3 stride=4K\nload 0x8000000000000000\ncompute 9");
        double sum = 0;
        for (std::size_t cause = 0; cause < kCycleCauses; ++cause) {
            sum += cycles(counters, static_cast<Cause>(cause));
        }
        CHECK(sum == cycles(counters));
        CHECK(cycles(counters, Cause::kFlush) == 300);
        CHECK(cycles(counters, Cause::kFence) == 33);
        CHECK(cycles(counters, Cause::kFault) == 900);
        CHECK(cycles(counters, Cause::kWalk) > 0);
        CHECK(cycles(counters, Cause::kFetch) == 0);
    }
}

TEST_SUITE("time: translation") {
    // Every level but the leaf is cached, so a walk is one read.
    const std::string kWarm = "load 0x40000000\ninvlpg 0x50000000\nmfence\nphase \"measured\"\n";

    TimedRun one_read_walks(std::uint32_t walkers) {
        TimedRun run;
        run.timing.walkers = walkers;
        run.timing.walk = core_cycles(20);
        run.timing.memory = core_cycles(10);
        return run;
    }

    TEST_CASE("W walkers make M independent misses in ceil(M / W) walks") {
        for (const std::uint32_t walkers : {1u, 2u, 3u, 4u, 6u}) {
            const TimedRun run = one_read_walks(walkers);
            for (const int misses : {1, 2, 5, 12, 13}) {
                CAPTURE(walkers);
                CAPTURE(misses);
                // Loads start eight a cycle, so with more walkers than loads a cycle it is not
                // sharp; here all of the first 8 start at once.
                const Counters counters = run.measured(
                    "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40001000 count=" +
                    std::to_string(misses) + " stride=4K");
                const int rounds =
                    (misses + static_cast<int>(walkers) - 1) / static_cast<int>(walkers);
                CHECK(cycles(counters) == 30 * rounds);
                CHECK(walk_cycles(counters) == 30 * misses);
                CHECK(time_of(counters, counter::kWalkActive) == 30 * rounds);
            }
        }
    }

    TEST_CASE("a dependent chase costs the sum of its walks, whatever the walkers") {
        for (const std::uint32_t walkers : {1u, 4u}) {
            TimedRun run = one_read_walks(walkers);
            run.timing.l1d = core_cycles(4);
            const Counters counters = run.measured(
                "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40001000 count=9 stride=4K "
                "dep");
            CHECK(cycles(counters) == 9 * (20 + 10 + 4));
        }
    }

    TEST_CASE("a hit on a translation whose walk is under way waits for it, and is a hit") {
        const TimedRun run = one_read_walks(4);
        const Counters counters = run.measured(
            "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40001000 count=10 stride=8");
        CHECK(cycles(counters) == 30);
        CHECK(counters[counter::kHitsOnPending] == 9);
        CHECK(counters[counter::kTimedWalks] == 1);
    }

    TEST_CASE("a hit waits for the end of the walk, look-ups after its last read included") {
        TimedRun run;
        run.system.paging = Paging::kNested;
        run.timing.walkers = 2;
        run.timing.memory = core_cycles(10);
        run.timing.nested_tlb = core_cycles(30);
        // Both walk to a page whose frame the nested TLB has: the guest's leaf, then a look-up.
        const std::string program =
            "map 0x40000000 size=4K to=0x70000000 user\nload 0x40000000\n"
            "map 0x40001000 size=4K to=0x70000000 user\nmfence\nphase \"measured\"\n";
        const double one = cycles(run.measured(program + "load 0x40001000"));
        const double two = cycles(run.measured(program + "load 0x40001000 count=2 stride=8"));
        CHECK(one == two);
        CHECK(one == 10 + 30);
    }

    TEST_CASE("cold walks side by side share the upper levels that the first one reads") {
        TimedRun run;
        run.timing.walkers = 4;
        run.timing.memory = core_cycles(10);
        // The first reads four entries in 40 cycles; the others begin with the PDE that is there
        // after 30 and read a leaf each.
        CHECK(cycles(run("load 0x40000000 count=4 stride=4K")) == 40);
        CHECK(walk_cycles(run("load 0x40000000 count=4 stride=4K")) == 160);
    }

    TEST_CASE("an STLB hit takes its penalty, and a walk begins after it or holds a walker in it") {
        TimedRun run = one_read_walks(1);
        run.machine.l1_dtlb.clear();  // every access looks into the STLB
        run.timing.stlb = core_cycles(7);
        const std::string program = "load 0x40000000\nmfence\nphase \"measured\"\n";
        const Counters hits = run.measured(program + "load 0x40000000 count=3 dep");
        CHECK(cycles(hits) == 21);
        CHECK(cycles(hits, Cause::kStlb) == 21);

        const Counters after = run.measured(program + "load 0x40001000 count=5 stride=4K");
        CHECK(cycles(after) == 7 + 5 * 30);
        run.timing.walker_holds_stlb_lookup = true;
        const Counters during = run.measured(program + "load 0x40001000 count=5 stride=4K");
        CHECK(cycles(during) == 5 * 37);
    }

    TEST_CASE("a structure cache that is slower by L costs L for each of its look-ups") {
        for (const int nested : {0, 1}) {
            TimedRun run;
            run.system.paging = nested ? Paging::kNested : Paging::kNative;
            run.timing.memory = core_cycles(10);
            run.timing.walk = core_cycles(5);
            const std::string chase =
                "load 0x40000000 count=6 stride=4K dep\nload 0x80000000 count=3 stride=2M dep\n";
            const Counters before = run(chase);
            struct Case {
                Latency TimingParameters::*latency;
                std::size_t group;
            };
            for (const Case& each :
                 {Case{&TimingParameters::paging_structure_cache, 0},
                  Case{&TimingParameters::nested_tlb, 1},
                  Case{&TimingParameters::guest_physical_paging_structure_cache, 2}}) {
                TimedRun slower = run;
                slower.timing.*each.latency = core_cycles(13);
                const Counters after = slower(chase);
                const auto look_ups = static_cast<double>(before[counter::kLookups + each.group]);
                CAPTURE(each.group);
                CHECK(cycles(after) - cycles(before) == 13 * look_ups);
                CHECK((look_ups > 0) == (each.group == 0 || nested == 1));
            }
        }
    }

    TEST_CASE("a 5-level walk with warm caches costs what a 4-level one costs") {
        for (const Paging paging : {Paging::kNative, Paging::kNested}) {
            double cost[2]{};
            for (const int levels : {4, 5}) {
                TimedRun run;
                run.system.paging = paging;
                run.system.guest.levels = run.system.host.levels = levels;
                run.timing.memory = core_cycles(10);
                run.timing.walk = core_cycles(5);
                cost[levels - 4] =
                    cycles(run.measured("load 0x40000000\nmfence\nphase \"measured\"\nload "
                                        "0x40001000 count=7 stride=4K dep"));
            }
            CHECK(cost[0] == cost[1]);
            CHECK(cost[0] > 0);
        }
    }

    TEST_CASE("cold nested walks take their reads: 24, 35 and 19 of them") {
        TimedRun run;
        run.machine = walker({});
        run.system.paging = Paging::kNested;
        run.timing.memory = core_cycles(10);
        CHECK(cycles(run("load 0x40000000")) == 240);
        run.system.host.page_size = PageSize::k2M;
        CHECK(cycles(run("load 0x40000000")) == 190);
        run.system.host.page_size = PageSize::k4K;
        run.system.guest.levels = run.system.host.levels = 5;
        CHECK(cycles(run("load 0x40000000")) == 350);
    }

    TEST_CASE("each A or D that a walk sets takes its time") {
        TimedRun run;
        run.system.accessed_dirty_preset = false;
        run.timing.accessed_dirty = core_cycles(100);
        // Root to leaf: four A bits, and D of the store.
        CHECK(cycles(run("load 0x40000000")) == 400);
        CHECK(cycles(run("store 0x40000000")) == 500);
        // A store that hits a clean entry walks to set D.
        CHECK(cycles(run.measured(
                  "load 0x40000000\nmfence\nphase \"measured\"\nstore 0x40000000")) == 100);
    }

    TEST_CASE("walk latencies are summed by kind and sorted into buckets") {
        TimedRun run = one_read_walks(1);
        const Counters counters = run.measured(
            "load 0x40000000\nfetch 0x40000000\nmfence\nphase \"measured\"\nload 0x40001000\n"
            "store 0x40002000\nfetch 0x40003000");
        // The store queues behind the load, the fetch behind both.
        CHECK(time_of(counters, counter::kWalkLatency) == 30);
        CHECK(time_of(counters, counter::kWalkLatency + 1) == 60);
        CHECK(time_of(counters, counter::kWalkLatency + 2) == 90);
        CHECK(counters[counter::kWalkHistogram + 1] == 1);  // below 32
        CHECK(counters[counter::kWalkHistogram + 2] == 1);  // below 64
        CHECK(counters[counter::kWalkHistogram + 3] == 1);  // below 128
    }
}

}  // namespace
}  // namespace nestwalk::test
