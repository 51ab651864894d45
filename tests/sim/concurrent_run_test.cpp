// vCPUs side by side against closed forms: whose turn it is, who waits for whom, and how long. Each
// with both clocks.
#include "sim/steal_times.h"
#include "tests/sim/side_by_side.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Cause = CycleCause;

constexpr TimeKeeper kKeepers[]{TimeKeeper::kReplay, TimeKeeper::kCycleEngine};

std::string repeated(int times, const std::string& body) {
    return "repeat " + std::to_string(times) + " {\n" + body + "}\n";
}

/// `rounds` times on each of `vcpus`: a lock that is held for `hold` cycles, then `think` cycles
/// without it.
std::string lock_loops(int vcpus, int rounds, int hold, int think) {
    std::string program;
    for (int vcpu = 0; vcpu < vcpus; ++vcpu) {
        program += "cpu " + std::to_string(vcpu) + "\n" +
                   repeated(rounds, "lock a\ncompute " + std::to_string(hold) +
                                        "\nunlock a\ncompute " + std::to_string(think) + "\n");
    }
    return program;
}

TEST_SUITE("side by side") {
    TEST_CASE("each vCPU has its own time and the whole is their sum") {
        SideBySide run{.system = {.vcpus = 3}};
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run("compute 10\ncpu 2\ncompute 300\ncpu 1\ncompute 5");
            CHECK(result.end(0) == 10);
            CHECK(result.end(1) == 5);
            CHECK(result.end(2) == 300);
            CHECK(cycles(result.whole()) == 315);
            CHECK(cycles(result.whole(), Cause::kBase) == 315);
        }
    }

    TEST_CASE("the vCPU whose local time is least goes first and among equals the lowest number") {
        const SideBySide run;
        CHECK(run("cpu 1\ncompute 10\nload 0x1000\ncpu 0\ncompute 11\nload 0x2000").schedule ==
              "nestwalk-trace 1\ncpu 1\ncompute 10\nload 0x1000\ncpu 0\ncompute 11\nload 0x2000\n");
        CHECK(run("cpu 1\ncompute 11\nload 0x1000\ncpu 0\ncompute 11\nload 0x2000").schedule ==
              "nestwalk-trace 1\ncompute 11\nload 0x2000\ncpu 1\ncompute 11\nload 0x1000\n");
    }

    TEST_CASE("among equals a seed picks any and the same seed picks the same") {
        SideBySide run{.system = {.vcpus = 4}};
        std::string program;
        for (int vcpu = 0; vcpu < 4; ++vcpu) {
            program += "cpu " + std::to_string(vcpu) + "\n" + repeated(20, "compute 5\n");
        }
        const std::string by_number = run(program).schedule;
        std::vector<std::string> schedules{by_number};
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            run.schedule.seed = seed;
            schedules.push_back(run(program).schedule);
            CHECK(schedules.back() == run(program).schedule);
        }
        std::sort(schedules.begin(), schedules.end());
        CHECK(std::unique(schedules.begin(), schedules.end()) == schedules.end());
    }

    TEST_CASE("accesses of one record come between those of another vCPU") {
        SideBySide run;
        run.timing.issue_width = 1;
        const std::string one = "load 0x1000 count=3 stride=64\n";
        CHECK(run(one + "cpu 1\nload 0x5000 count=2").schedule ==
              "nestwalk-trace 1\nload 0x1000\ncpu 1\nload 0x5000\ncpu 0\nload 0x1040\ncpu 1\n"
              "load 0x5000\ncpu 0\nload 0x1080\n");
        CHECK(run(one).schedule == "nestwalk-trace 1\n" + one);
        CHECK(run(one).whole()[counter::kReferences] == 3);
    }

    // --- Locks ----------------------------------------------------------------------------------

    TEST_CASE("two vCPUs with more to think than to hold wait for each other once") {
        SideBySide run;
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            for (const auto& [hold, think] : {std::pair{100, 101}, {100, 250}, {7, 9}}) {
                const SideBySideResult result = run(lock_loops(2, 50, hold, think));
                CHECK(result.end(0) == 50 * (hold + think));
                CHECK(result.end(1) == hold + 50 * (hold + think));
                CHECK(time_of(result.whole(), counter::kLocksBlocked) == hold);
                CHECK(result.whole()[counter::kLocksContended] == 1);
            }
        }
    }

    TEST_CASE("two vCPUs with less to think than to hold wait for the difference every time") {
        SideBySide run;
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run(lock_loops(2, 50, 100, 30));
            // Holds follow one another; the first vCPU waits from its second on.
            CHECK(result.end(0) == 99 * 100 + 30);
            CHECK(result.end(1) == 100 * 100 + 30);
            CHECK(cycles(result.vcpus[0], Cause::kLock) == 49 * (100 - 30));
            CHECK(cycles(result.vcpus[1], Cause::kLock) == 100 + 49 * (100 - 30));
        }
    }

    TEST_CASE("N vCPUs at a lock that is never free: one hold after another") {
        constexpr int kHold = 40;
        constexpr int kThink = 60;
        constexpr int kRounds = 30;
        SideBySide run;
        for (const int vcpus : {3, 8, 32}) {
            CAPTURE(vcpus);
            run.system.vcpus = static_cast<std::uint32_t>(vcpus);
            for (const TimeKeeper keeper : kKeepers) {
                run.keeper = keeper;
                const SideBySideResult result = run(lock_loops(vcpus, kRounds, kHold, kThink));
                CHECK(result.end(static_cast<std::size_t>(vcpus) - 1) ==
                      vcpus * kRounds * kHold + kThink);
                for (int vcpu = 0; vcpu < vcpus; ++vcpu) {
                    CHECK(cycles(result.vcpus[static_cast<std::size_t>(vcpu)], Cause::kLock) ==
                          vcpu * kHold + (kRounds - 1) * ((vcpus - 1) * kHold - kThink));
                }
                REQUIRE(result.locks.size() == 1);
                const LockUse& lock = result.locks.front();
                CHECK(lock.name == "a");
                CHECK(lock.acquired == static_cast<std::uint64_t>(vcpus * kRounds));
                CHECK(lock.contended == lock.acquired - 1);
                CHECK(lock.held == Cycles::whole(vcpus * kRounds * kHold));
                CHECK(time_of(result.whole(), counter::kLocksHeld) == lock.held.value());
                CHECK(time_of(result.whole(), counter::kLocksBlocked) == lock.blocked.value());
                CHECK(cycles(result.whole(), Cause::kLock) == lock.blocked.value());
            }
        }
    }

    TEST_CASE("a lock goes to who asked first, not to the lowest number") {
        const SideBySide run{.system = {.vcpus = 4}};
        CHECK(run("lock a\ncompute 100\nunlock a\n"
                  "cpu 1\ncompute 30\nlock a\nunlock a\ncpu 2\ncompute 20\nlock a\nunlock a\n"
                  "cpu 3\ncompute 10\nlock a\nunlock a")
                  .schedule ==
              "nestwalk-trace 1\nlock a\ncpu 3\ncompute 10\ncpu 2\ncompute 20\ncpu 1\ncompute 30\n"
              "cpu 0\ncompute 100\nunlock a\ncpu 3\nlock a\nunlock a\ncpu 2\nlock a\nunlock a\n"
              "cpu 1\nlock a\nunlock a\n");
    }

    TEST_CASE("what is done with a lock ends with the walks that were begun under it") {
        SideBySide run;
        run.timing.walk = core_cycles(500);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("lock a\nload 0x1000\nunlock a\ncpu 1\nlock a\nunlock a");
            CHECK(result.end(1) == 500);
            CHECK(cycles(result.vcpus[1], Cause::kLock) == 500);
            // The one that asks asks when its own have ended.
            CHECK(run("compute 10\nlock a\nunlock a\ncpu 1\nload 0x1000\nlock a\nunlock a")
                      .whole()[counter::kLocksContended] == 0);
        }
    }

    TEST_CASE("locks of different names have nothing to do with one another") {
        const SideBySideResult result =
            SideBySide{}("lock a\ncompute 50\nunlock a\ncpu 1\nlock b\ncompute 70\nunlock b");
        CHECK(cycles(result.whole(), Cause::kLock) == 0);
        REQUIRE(result.locks.size() == 2);
        CHECK(result.locks[1].name == "b");
        CHECK(result.locks[1].held == Cycles::whole(70));
    }

    // --- Barriers -------------------------------------------------------------------------------

    TEST_CASE("a phase begins when all vCPUs have come to it") {
        SideBySide run{.system = {.vcpus = 3}};
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("compute 10\ncpu 1\ncompute 40\nphase \"next\"\ncpu 0\ncompute 5\ncpu 2\n"
                    "compute 7");
            CHECK(result.end(0) == 45);
            CHECK(result.end(1) == 40);
            CHECK(result.end(2) == 47);
            CHECK(cycles(result.vcpus[0], Cause::kIdle) == 30);
            CHECK(cycles(result.vcpus[1], Cause::kIdle) == 0);
            CHECK(cycles(result.vcpus[2], Cause::kIdle) == 40);
            const std::vector<Phase> phases = result.statistics.phases();
            REQUIRE(phases.size() == 2);
            CHECK(cycles(phases[0].counters) == 10 + 30 + 40);
            CHECK(cycles(phases[1].counters) == 5 + 40 + 7);
        }
    }

    TEST_CASE("spaces that one vCPU declares are there for all") {
        const SideBySide run;
        CHECK(run("cpu 1\ncompute 100\nspace other\ncpu 0\nmov-cr3 other")
                  .whole()[counter::kOperations + Operation(MovCr3{}).index()] == 1);
    }

    TEST_CASE("barriers within loops are passed in every iteration") {
        const SideBySideResult result = SideBySide{}(
            "repeat 10 {\nphase \"a\"\ncpu 0\ncompute 3\nphase \"b\"\ncpu 1\ncompute 4\n}");
        CHECK(result.end(0) == 10 * 3 + 9 * 4);
        CHECK(result.end(1) == 10 * (3 + 4));
    }

    // --- Absences -------------------------------------------------------------------------------

    TEST_CASE("absences are the same for a seed and have the mean that was asked for") {
        const StealParameters parameters{
            {50'000'000, ClockDomain::kCore}, {1000, ClockDomain::kCore}, 7};
        StealTimes steal(parameters, plain_core(), 0);
        StealTimes same(parameters, plain_core(), 0);
        StealTimes other(parameters, plain_core(), 1);
        double sum = 0;
        Cycles end{};
        bool differs = false;
        for (int i = 0; i < 10'000; ++i) {
            CHECK(steal.next() == same.next());
            differs = differs || steal.next() != other.next();
            sum += (steal.next() - end).value();
            end = steal.next() + steal.duration();
            steal.taken(end);
            same.taken(end);
            other.taken(end);
        }
        CHECK(differs);
        CHECK(sum / 10'000 == doctest::Approx(50'000).epsilon(0.02));
        CHECK(StealTimes({}, plain_core(), 0).next() == StealTimes::kNever);
    }

    TEST_CASE("a vCPU that is taken away takes as much longer") {
        SideBySide run{.system = {.vcpus = 2}};
        run.schedule.steal = {{1'000'000, ClockDomain::kCore}, {77'000, ClockDomain::kCore}, 3};
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run("compute 100000\ncpu 1\ncompute 2000");
            const double steals = static_cast<double>(result.whole()[counter::kSteals]);
            CHECK(steals > 50);
            CHECK(cycles(result.whole(), Cause::kSteal) == 77 * steals);
            CHECK(cycles(result.whole(), Cause::kBase) == 102'000);
            CHECK(result.schedule ==
                  "nestwalk-trace 1\ncpu 1\ncompute 2000\ncpu 0\ncompute 100000\n");
        }
    }

    TEST_CASE("who waits for a lock waits for the absences of its holder and for its own") {
        SideBySide run;
        run.schedule.steal = {{2'000'000, ClockDomain::kCore}, {600'000, ClockDomain::kCore}, 5};
        StealTimes holder(run.schedule.steal, run.timing, 0);
        StealTimes waiter(run.schedule.steal, run.timing, 1);
        Cycles released = Cycles::whole(10'000);
        while (holder.next() < released) {
            released += holder.duration();
            // It is taken away between two cycles of its computation.
            const std::int64_t whole = (holder.next().milli + 999) / 1000;
            holder.taken(Cycles::whole(whole) + holder.duration());
        }
        REQUIRE(waiter.next() > Cycles::whole(1));
        const Cycles resumed = waiter.available(released);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("lock a\ncompute 10000\nunlock a\ncpu 1\ncompute 1\nlock a\nunlock a");
            CHECK(result.end(0) == released.value());
            CHECK(result.end(0) > 12'000);
            CHECK(result.end(1) == resumed.value());
            CHECK(result.locks[0].blocked == resumed - Cycles::whole(1));
        }
    }

    TEST_CASE("an absence begins when what is under way has completed") {
        SideBySide run;
        run.timing.walk = core_cycles(5000);
        run.schedule.steal = {{100'000, ClockDomain::kCore}, {10'000, ClockDomain::kCore}, 1};
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run("compute 200\nload 0x1000\nload 0x1008");
            CHECK(result.whole()[counter::kSteals] > 0);
            CHECK(result.end(0) ==
                  200 + 5000 + 10 * static_cast<double>(result.whole()[counter::kSteals]));
        }
    }

    // --- INVLPGB --------------------------------------------------------------------------------

    TEST_CASE("TLBSYNC waits for the accesses that other vCPUs have under way") {
        SideBySide run{.machine = exact_amd_machine()};
        run.machine.features.invlpgb = true;
        run.timing.walk = core_cycles(700);
        run.timing.tlbsync = core_cycles(30);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const std::string walk = "cpu 1\nload 0x1000\ncompute 5000\ncpu 0\n";
            CHECK(run(walk + "compute 100\ninvlpgb va=0x1000\ntlbsync").end(0) == 730);
            CHECK(run(walk + "compute 800\ninvlpgb va=0x1000\ntlbsync").end(0) == 830);
            CHECK(run(walk + "compute 100\ntlbsync").end(0) == 130);
            CHECK(run(walk + "compute 100\ninvlpgb va=0x1000\ntlbsync\ntlbsync").end(0) == 760);
        }
    }

    TEST_CASE("INVLPGB drops on other vCPUs at once or when TLBSYNC is reached") {
        SideBySide run{.machine = exact_amd_machine()};
        run.machine.features.invlpgb = true;
        const auto misses = [&](RemoteInvlpgb when) {
            run.machine.invalidation.remote_invlpgb = when;
            return run("cpu 1\nload 0x1000\ncompute 100\nload 0x1000\ncompute 100\nload 0x1000\n"
                       "cpu 0\ncompute 50\ninvlpgb va=0x1000\ncompute 100\ntlbsync")
                .whole()[counter::kWalks];
        };
        CHECK(misses(RemoteInvlpgb::kAtIssue) == 2);
        CHECK(misses(RemoteInvlpgb::kAtTlbsync) == 2);
        run.machine.features.invlpgb = false;
        CHECK(misses(RemoteInvlpgb::kAtIssue) == 1);
    }

    // --- Expectations ---------------------------------------------------------------------------

    TEST_CASE("an expectation is about the operation before it on its own vCPU") {
        SideBySide run;
        run.timing.issue_width = 1;
        run.checking = Checking::kOn;
        const SideBySideResult result =
            run("load 0x1000\nexpect miss\ncpu 1\nload 0x1000\nexpect miss\ncpu 0\n"
                "load 0x1000 count=4\nexpect hit\ncpu 1\nload 0x1000 count=4\nexpect miss");
        REQUIRE(result.failures.size() == 1);
        CHECK(result.failures[0].substr(0, 13) == "program:11:1:");
    }

    // --- Errors ---------------------------------------------------------------------------------

    TEST_CASE("vCPUs that wait for one another are an error that names them") {
        const SideBySide run{.system = {.vcpus = 3}};
        CHECK(error_of(run, "lock a\ncompute 10\nlock b\ncpu 1\nlock b\ncompute 10\nlock a") ==
              "program:3:1: deadlock: vCPU 0 waits in line 3 for lock 'b', which vCPU 1 took in "
              "line 5; vCPU 1 waits in line 7 for lock 'a', which vCPU 0 took in line 1");
        CHECK(error_of(run, "lock a\ncpu 1\ncompute 10\nlock a") ==
              "program:4:1: deadlock: vCPU 1 waits in line 4 for lock 'a', which vCPU 0 took in "
              "line 1 and never unlocks");
        CHECK(error_of(run, "lock a\nphase \"p\"\nunlock a") == "no error");
        CHECK(error_of(run, "lock a\ncpu 1\ncompute 10\nlock a\nphase \"p\"\ncpu 0\nunlock a") ==
              "program:4:1: deadlock: vCPU 1 waits in line 4 for lock 'a', which vCPU 0 took in "
              "line 1 and holds at a barrier");
    }

    TEST_CASE("a lock that is taken twice or given back by another is an error with its place") {
        const SideBySide run;
        CHECK(error_of(run, "lock a\nlock a").substr(0, 40) ==
              "program:2:1: lock: 'a' is held by this v");
        CHECK(error_of(run, "lock a\ncpu 1\ncompute 5\nunlock a") ==
              "program:4:1: unlock: 'a' is held by vCPU 0; expected unlock by the same vCPU");
        CHECK(error_of(run, "unlock a") ==
              "program:1:1: unlock: 'a' is not held; expected a lock before");
    }

    TEST_CASE("time that would overflow while a vCPU waits is an error") {
        SideBySide run;
        run.schedule.steal = {
            {1'000'000, ClockDomain::kCore}, {INT64_MAX / 8, ClockDomain::kCore}, 1};
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            CHECK(error_of(run, "compute 3\nrepeat 1000 {\ncompute 1000000\n}")
                      .find("simulated time goes beyond") != std::string::npos);
        }
    }
}

}  // namespace
}  // namespace nestwalk::test
