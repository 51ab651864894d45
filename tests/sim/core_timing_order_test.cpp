// Serializing instructions, fences, time stamps, exits and clocks: rules 14 to 20 of
// docs/timing.md.
#include "tests/sim/timed_run.h"

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Cause = CycleCause;

TimedRun core_with_costs() {
    TimedRun run;
    run.timing.memory = core_cycles(50);
    run.timing.bare.invlpg = core_cycles(200);
    run.timing.bare.mov_cr3 = core_cycles(100);
    run.timing.bare.mov_cr4 = core_cycles(11);
    run.timing.bare.mov_cr4_flush = core_cycles(400);
    run.timing.guest.invlpg = core_cycles(250);
    run.timing.guest.mov_cr3 = core_cycles(370);
    run.timing.vm_exit = core_cycles(600);
    run.timing.vm_entry = core_cycles(500);
    run.timing.mfence = core_cycles(33);
    run.timing.lfence = core_cycles(4);
    return run;
}

double ticks(const Counters& counters) { return time_of(counters, counter::kTscBetweenReads); }

TEST_SUITE("time: order") {
    TEST_CASE("a serializing instruction waits for earlier accesses, later ones for it") {
        TimedRun run = core_with_costs();
        // A walk of four reads, the instruction, a walk of four reads: the flush drops them all.
        CHECK(cycles(run("load 0x1000\nmov-cr3\nload 0x1000")) == 200 + 100 + 200);
        CHECK(cycles(run("load 0x1000\ninvlpg 0x1000\nload 0x1000")) == 200 + 200 + 200);
    }

    TEST_CASE("one that overlaps starts at once and completes no sooner than earlier accesses") {
        TimedRun run = core_with_costs();
        run.timing.invlpg_drain = Drain::kOverlap;
        CHECK(cycles(run("load 0x1000\ninvlpg 0x1000\nload 0x1000")) == 200 + 200);
        run.timing.bare.invlpg = core_cycles(20);
        CHECK(cycles(run("load 0x1000\ninvlpg 0x1000\nload 0x1000")) == 200 + 200);
        run.timing.mov_cr3_drain = Drain::kOverlap;
        run.timing.bare.mov_cr3 = core_cycles(230);
        CHECK(cycles(run("load 0x1000\nmov-cr3\nload 0x1000")) == 230 + 200);
    }

    TEST_CASE("writes of CR4 cost by whether they flush") {
        const TimedRun run = core_with_costs();
        CHECK(cycles(run("toggle-pge")) == 800);
        CHECK(cycles(run("mov-cr4 pge=0")) == 400);
        CHECK(cycles(run("mov-cr4 smap=1")) == 11);
    }

    TEST_CASE("instructions in a guest have the guest's cost, in the host the bare one") {
        TimedRun run = core_with_costs();
        run.system.paging = Paging::kNested;
        CHECK(cycles(run("invlpg 0x1000\nmov-cr3")) == 620);
        CHECK(cycles(run("vmexit\ninvlpg 0x1000\nmov-cr3\nvmentry")) == 600 + 300 + 500);
        run.system.paging = Paging::kShadow;
        CHECK(cycles(run("invlpg 0x1000\nmov-cr3")) == 620);
    }

    TEST_CASE("what exits costs an exit and an entry, after the walk that found it") {
        TimedRun run = core_with_costs();
        run.system.paging = Paging::kNested;
        const Counters counters = run.measured(
            "load 0x1000\nload 0x200000\nhost-unmap 0x100000000\ninvlpg 0x1000\nmov-cr3\n"
            "mfence\nphase \"measured\"\ninvept all");
        CHECK(cycles(counters, Cause::kExit) == 1100);
        CHECK(cycles(counters, Cause::kFlush) == 0);
    }

    TEST_CASE("an exception takes its delivery, and later instructions wait for it") {
        TimedRun run = core_with_costs();
        run.timing.fault = core_cycles(1000);
        run.timing.l1d = core_cycles(5);
        const Counters counters = run("load 0x8000000000000000\nload 0x8000000000000000");
        CHECK(cycles(counters) == 2000);
        CHECK(cycles(counters, Cause::kFault) == 2000);
    }

    TEST_CASE("mfence waits for all earlier accesses, lfence for loads, and later ones wait") {
        TimedRun run = core_with_costs();
        CHECK(cycles(run("load 0x1000\nmfence\nload 0x1000")) == 200 + 33);
        CHECK(cycles(run("store 0x1000\nmfence\nstore 0x1000")) == 200 + 33);
        CHECK(cycles(run("load 0x1000\nlfence\nload 0x1000")) == 200 + 4);
        // The store's walk goes on behind the lfence.
        CHECK(cycles(run("store 0x1000\nlfence\nstore 0x1000")) == 200);
    }

    TEST_CASE("lock and unlock wait for all earlier accesses and take no time of their own") {
        TimedRun run;
        run.timing.walkers = 2;
        run.timing.walk = core_cycles(200);
        CHECK(cycles(run("load 0x1000\nload 0x80000000000")) == 200);
        for (const TimeKeeper keeper : {TimeKeeper::kReplay, TimeKeeper::kCycleEngine}) {
            run.keeper = keeper;
            CHECK(cycles(run("load 0x1000\nlock a\nload 0x80000000000\nunlock a")) == 400);
            CHECK(cycles(run("lock a\nload 0x1000\nunlock a\nload 0x80000000000")) == 400);
            CHECK(cycles(run("lock a\nunlock a\nlock a\nlock b")) == 0);
        }
    }

    TEST_CASE("a time-stamp read waits for nothing, a fenced one for loads") {
        TimedRun run = core_with_costs();
        CHECK(ticks(run("rdtsc\nload 0x1000\nrdtsc")) == 0);
        CHECK(ticks(run("rdtsc\nload 0x1000\nrdtsc fenced")) == 200);
        CHECK(ticks(run("rdtsc\nload 0x1000\ninvlpg 0x1000\nrdtsc")) == 400);
    }

    TEST_CASE("a serializing instruction starts the read's latency after a time-stamp read") {
        TimedRun run = core_with_costs();
        run.timing.rdtsc = core_cycles(55);
        CHECK(ticks(run("rdtsc\nrdtsc")) == 0);
        CHECK(ticks(run("rdtsc\ninvlpg 0x1000\nrdtsc")) == 255);
        CHECK(ticks(run("rdtsc\ninvlpg 0x1000\ninvlpg 0x1000\nrdtsc")) == 455);
    }

    TEST_CASE("time-stamp reads of different phases are not compared") {
        const TimedRun run = core_with_costs();
        CHECK(ticks(run("rdtsc\nphase \"a\"\ncompute 10\nrdtsc\nphase \"b\"\nrdtsc")) == 0);
        CHECK(ticks(run("phase \"a\"\nrdtsc\ncompute 10\nrdtsc\ncompute 3\nrdtsc")) == 13);
    }

    TEST_CASE("latencies of other clocks are converted, and time-stamp ticks are of the TSC") {
        TimedRun run = core_with_costs();
        run.timing.core_mhz = 3000;
        run.timing.tsc_mhz = 2000;
        run.timing.bare.invlpg = {100'000, ClockDomain::kTsc};
        CHECK(cycles(run("invlpg 0x1000")) == 150);
        CHECK(ticks(run("rdtsc\ninvlpg 0x1000\nrdtsc")) == 100);
        run.timing.bare.invlpg = {100'000, ClockDomain::kNanoseconds};
        CHECK(cycles(run("invlpg 0x1000")) == 300);
    }

    TEST_CASE("INVLPGB takes its time in dispatch and waits for nothing") {
        TimedRun run = core_with_costs();
        run.machine.vendor = Vendor::kAmd;
        run.timing.invlpgb = core_cycles(70);
        run.timing.tlbsync = core_cycles(90);
        CHECK(cycles(run("load 0x1000\ninvlpgb va=0x5000")) == 200);
        CHECK(cycles(run("load 0x1000\ninvlpgb va=0x5000\ntlbsync")) == 200 + 90);
    }

    TEST_CASE("a fetch holds up dispatch until its line has come") {
        TimedRun run = core_with_costs();
        CHECK(cycles(run("fetch 0x1000")) == 200);
        CHECK(cycles(run("fetch 0x1000\nfetch 0x1000")) == 200);
        CHECK(cycles(run("fetch 0x1000\ncompute 5")) == 205);
    }
}

}  // namespace
}  // namespace nestwalk::test
