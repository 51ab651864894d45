// Lines, outstanding misses and the state that time leaves: rules 10 to 13 of docs/timing.md, and
// loops that collapse.
#include "tests/sim/timed_run.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

TimedRun core_with_caches(CachedData data = CachedData::kModelled) {
    TimedRun run;
    run.machine.caches = {.l1d = {.bytes = 32 << 10, .ways = 8},
                          .l1i = {.bytes = 32 << 10, .ways = 8},
                          .l2 = {.bytes = 256 << 10, .ways = 8},
                          .l3 = {.bytes = 2 << 20, .ways = 16}};
    run.system.cached_data = data;
    run.system.cache_start = CacheStart::kCold;
    run.timing.l1d = core_cycles(4);
    run.timing.l2 = core_cycles(12);
    run.timing.l3 = core_cycles(40);
    run.timing.memory = core_cycles(200);
    return run;
}

TEST_SUITE("time: memory") {
    TEST_CASE("a line costs by where it is found") {
        const TimedRun run = core_with_caches();
        const auto measured = [&](const std::string& before, const std::string& what) {
            return cycles(
                run.measured("load 0x40000000\n" + before + "mfence\nphase \"measured\"\n" + what));
        };
        CHECK(measured("", "load 0x40000000") == 4);
        CHECK(measured("", "load 0x40000040") == 200);
        // Eight more lines of its set push it out of the L1D, not out of the L2.
        CHECK(measured("load 0x40001000 count=8 stride=4K\n", "load 0x40000000") == 12);
        CHECK(measured("wbinvd\n", "load 0x40000000") == 200);
    }

    TEST_CASE("two accesses to a line on its way wait for it together") {
        const TimedRun run = core_with_caches();
        const Counters counters = run.measured(
            "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40000040\nload 0x40000048");
        CHECK(cycles(counters) == 200);
        CHECK(counters[counter::kDataLines] == 1);
        CHECK(counters[counter::kDataLines + 3] == 1);
    }

    TEST_CASE("with ideal data only walks use the caches") {
        const TimedRun run = core_with_caches(CachedData::kIdeal);
        const Counters counters = run("load 0x40000000\nload 0x40000040");
        CHECK(cycles(counters) == 4 * 200 + 4);
        for (std::size_t source = 0; source < kLineSources; ++source) {
            CHECK(counters[counter::kDataLines + source] == 0);
        }
        CHECK(counters[counter::kWalkLines + 3] == 4);
    }

    TEST_CASE("a hot start finds in the outermost cache what was never asked for") {
        TimedRun run = core_with_caches();
        run.system.cache_start = CacheStart::kHot;
        CHECK(run("load 0x40000000")[counter::kWalkLines + 2] == 4);
        run.machine.caches.l3 = {};
        CHECK(run("load 0x40000000")[counter::kWalkLines + 1] == 4);
        // No more of it than the cache can hold: 4 lines in the L2's set, then memory.
        run.machine.caches.l2 = {.bytes = 4 * 64, .ways = 4};
        run.machine.caches.l1d = {.bytes = 64, .ways = 1};
        const Counters counters =
            run("load 0x40000000\nload 0x40000040 count=3 stride=64\nwbinvd\nload 0x40000000");
        CHECK(counters[counter::kWalkLines + 1] + counters[counter::kDataLines + 1] == 4);
        CHECK(counters[counter::kDataLines + 3] == 5);
    }

    TEST_CASE("only so many lines of data are on their way at once") {
        for (const std::uint32_t outstanding : {1u, 2u, 5u}) {
            TimedRun run = core_with_caches();
            run.timing.outstanding_misses = outstanding;
            const Counters counters = run.measured(
                "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40000040 count=10 stride=64");
            CHECK(cycles(counters) == 200 * 10 / outstanding);
        }
    }

    TEST_CASE("lines come no closer than the line interval") {
        TimedRun run = core_with_caches();
        run.timing.line_interval = {4'500, ClockDomain::kCore};
        const Counters counters = run.measured(
            "load 0x40000000\nmfence\nphase \"measured\"\nload 0x40000040 count=9 stride=64");
        CHECK(cycles(counters) == 200 + 8 * 4.5);
    }

    TEST_CASE("a store waits for its line to be asked for, not for the line") {
        TimedRun run = core_with_caches();
        CHECK(cycles(run.measured(
                  "store 0x40000000\nmfence\nphase \"measured\"\nstore 0x40000040")) == 0);
        run.timing.outstanding_misses = 1;
        const Counters counters = run.measured(
            "store 0x40000000\nmfence\nphase \"measured\"\nstore 0x40000040 count=3 stride=64");
        // The line of the first store is still on its way, from when it was translated.
        CHECK(cycles(counters) == 600);
    }

    TEST_CASE("code lines hold up dispatch, and a hit in the L1I takes no time") {
        const TimedRun run = core_with_caches();
        CHECK(cycles(run.measured(
                  "fetch 0x40000000\nmfence\nphase \"measured\"\nfetch 0x40000000")) == 0);
        CHECK(cycles(run.measured(
                  "fetch 0x40000000\nmfence\nphase \"measured\"\nfetch 0x40000040")) == 200);
        CHECK(cycles(run.measured("load 0x40000000\nfetch 0x40001000\nmfence\nphase \"measured\"\n"
                                  "fetch 0x40000000")) == 12 + 0);
    }

    TEST_CASE("an access to several lines reads each") {
        const TimedRun run = core_with_caches();
        const Counters counters =
            run.measured("load 0x40000000\nmfence\nphase \"measured\"\nload 0x4000007c size=72");
        CHECK(counters[counter::kDataLines + 3] == 3);
        const Counters crossing =
            run.measured("load 0x40000000\nmfence\nphase \"measured\"\nload 0x40000ffc size=72");
        CHECK(crossing[counter::kReferences] == 1);
        CHECK(crossing[counter::kDataLines + 3] == 3);
    }
}

TEST_SUITE("time: loops") {
    const char* const kBodies[] = {
        "load 0x400000 count=50 stride=4K",
        "load 0x400000 count=50 stride=4K dep\nmov-cr3",
        "invlpg 0x9000000\nload 0x400000 count=50 stride=4K",
        "store 0x400000 count=33 stride=4160\ncompute 3",
        "rdtsc\nload 0x400000 count=5 stride=4K\nlfence\nrdtsc\nfetch 0x700000",
        "load 0x400000 count=700 stride=4K",
        "load 0x400ffc\nmov-cr3\nload 0x400ffc",
    };

    TEST_CASE("one that collapses takes the time of one that does not") {
        for (const Paging paging : {Paging::kNative, Paging::kNested}) {
            for (const char* const body : kBodies) {
                TimedRun run = core_with_caches();
                run.system.paging = paging;
                run.machine.l1_dtlb = {{.name = "dtlb",
                                        .entries = 64,
                                        .ways = 4,
                                        .holds = held(MappingClass::kTranslation, {1})}};
                run.machine.stlb = {{.name = "stlb",
                                     .entries = 256,
                                     .ways = 8,
                                     .holds = held(MappingClass::kTranslation, {1})}};
                run.timing.issue_width = 4;
                run.timing.load_ports = 2;
                run.timing.reorder_entries = 60;
                run.timing.outstanding_misses = 10;
                run.timing.walkers = 2;
                run.timing.stlb = core_cycles(7);
                run.timing.walk = {14'350, ClockDomain::kCore};
                run.timing.line_interval = {3'700, ClockDomain::kCore};
                run.timing.bare.mov_cr3 = run.timing.guest.mov_cr3 = core_cycles(100);
                run.timing.bare.invlpg = run.timing.guest.invlpg = core_cycles(200);
                run.timing.invlpg_drain = Drain::kOverlap;
                const std::string program =
                    "repeat 200 {\n" + std::string(body) + "\n}\nload 0x400000";
                const Counters slow = run(program);
                run.loop_collapse = LoopCollapse::kOn;
                const Counters fast = run(program);
                CAPTURE(body);
                for (std::size_t at = 0; at < counter::kCount; ++at) {
                    INFO(counter_infos()[at].name);
                    REQUIRE(fast[at] == slow[at]);
                }
            }
        }
    }

    TEST_CASE("one with a clock collapses") {
        TimedRun run = core_with_caches();
        run.loop_collapse = LoopCollapse::kOn;
        run.timing.bare.mov_cr3 = core_cycles(100);
        // Executed to its end it would take minutes.
        const Counters counters =
            run("repeat 100000000 {\nmov-cr3\nload 0x400000 count=50 stride=4K\n}");
        CHECK(counters[counter::kReferences] == 5'000'000'000);
        CHECK(cycles(counters) > 1e10);
    }
}

}  // namespace
}  // namespace nestwalk::test
