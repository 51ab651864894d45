// Shootdowns between vCPUs that run side by side: who is interrupted when, who waits for whom, and
// that the order that is written says all of it.
#include "tests/sim/random_trial.h"
#include "tests/sim/side_by_side.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Cause = CycleCause;

constexpr TimeKeeper kKeepers[]{TimeKeeper::kReplay, TimeKeeper::kCycleEngine};
constexpr int kIpi = 50;
constexpr int kInterrupt = 300;
constexpr int kInvlpg = 100;

/// Linux on a core where interrupts and INVLPG take time, and nothing else.
SideBySide linux_vcpus(std::uint32_t vcpus) {
    SideBySide run;
    run.system.vcpus = vcpus;
    run.system.os.kind = OsKind::kLinux;
    run.timing.ipi = core_cycles(kIpi);
    run.timing.interrupt = core_cycles(kInterrupt);
    run.timing.bare.invlpg = core_cycles(kInvlpg);
    return run;
}

TEST_SUITE("shootdowns side by side") {
    TEST_CASE("a vCPU that has nothing to do takes the interrupt when it comes") {
        SideBySide run = linux_vcpus(2);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run("compute 1000\nshootdown 0x1000 pages=1 cpus=1");
            const int taken = 1000 + kIpi + kInterrupt + kInvlpg;
            CHECK(result.end(0) == taken);
            CHECK(result.end(1) == taken);
            CHECK(cycles(result.vcpus[0], Cause::kIpi) == taken - 1000);
            CHECK(cycles(result.vcpus[1], Cause::kIdle) == 1000 + kIpi);
            CHECK(cycles(result.vcpus[1], Cause::kIpi) == kInterrupt);
            CHECK(cycles(result.vcpus[1], Cause::kFlush) == kInvlpg);
        }
    }

    TEST_CASE("a computation is interrupted and goes on behind") {
        SideBySide run = linux_vcpus(2);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("compute 1000\nshootdown 0x1000 pages=1 cpus=1\ncpu 1\ncompute 5000");
            CHECK(result.end(0) == 1000 + kIpi + kInterrupt + kInvlpg);
            CHECK(result.end(1) == 5000 + kInterrupt + kInvlpg);
            CHECK(cycles(result.vcpus[1], Cause::kBase) == 5000);
        }
    }

    TEST_CASE("what is under way completes before the interrupt is taken") {
        SideBySide run = linux_vcpus(2);
        run.timing.walk = core_cycles(2000);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("compute 1000\nshootdown 0x1000 pages=1 cpus=1\ncpu 1\ncompute 10\nload "
                    "0x5000\ncompute 10000");
            CHECK(result.end(0) == 10 + 2000 + kInterrupt + kInvlpg);
        }
    }

    TEST_CASE("interrupts are sent one after another and the last to be taken is waited for") {
        SideBySide run = linux_vcpus(5);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run("shootdown 0x1000 pages=2");
            for (int target = 1; target < 5; ++target) {
                CHECK(result.end(static_cast<std::size_t>(target)) ==
                      target * kIpi + kInterrupt + 2 * kInvlpg);
            }
            CHECK(result.end(0) == result.end(4));
            CHECK(result.whole()[counter::kIpis] == 4);
            CHECK(result.whole()[counter::kInterrupts] == 4);
            CHECK(result.whole()[counter::kOperations + Operation(Shootdown{}).index()] == 1);
        }
    }

    TEST_CASE("a page is used on the target until the interrupt is taken and not after") {
        SideBySide run = linux_vcpus(2);
        run.timing.issue_width = 1;
        const auto walks = [&](int send_at) {
            return run("compute " + std::to_string(send_at) +
                       "\nshootdown 0x1000 pages=1 cpus=1\n"
                       "cpu 1\nload 0x1000\ncompute 1000\nload 0x1000\ncompute 1000\nload 0x1000")
                .whole()[counter::kWalks];
        };
        CHECK(walks(500) == 2);
        CHECK(walks(1500) == 2);
        CHECK(walks(4000) == 1);
    }

    TEST_CASE("two vCPUs that interrupt each other do so while they wait") {
        SideBySide run = linux_vcpus(2);
        constexpr int kMovCr3 = 30;
        run.timing.bare.mov_cr3 = core_cycles(kMovCr3);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("shootdown 0x1000 pages=1\ncpu 1\nshootdown 0x2000 pages=1");
            // Each is behind by its own flush as well, so it flushes the whole space.
            CHECK(result.end(0) == kIpi + kInterrupt + kMovCr3);
            CHECK(result.end(1) == result.end(0));
        }
    }

    TEST_CASE("who waits for a lock takes interrupts") {
        SideBySide run = linux_vcpus(3);
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("lock a\ncompute 10\nshootdown 0x1000 pages=1 cpus=1\nunlock a\n"
                    "cpu 1\ncompute 1\nlock a\nunlock a\ncpu 2\ncompute 100000");
            CHECK(result.end(0) == 10 + kIpi + kInterrupt + kInvlpg);
            CHECK(result.end(1) == result.end(0));
            CHECK(cycles(result.vcpus[1], Cause::kLock) == 10 + kIpi - 1);
            // The lock is given back while its new owner is in the interrupt.
            const SideBySideResult late =
                run("lock a\ncompute 100\nunlock a\ncpu 1\ncompute 1\nlock a\nunlock a\n"
                    "cpu 2\ncompute 40\nshootdown 0x1000 pages=1 cpus=1");
            CHECK(late.end(1) == 40 + kIpi + kInterrupt + kInvlpg);
            CHECK(late.locks[0].blocked == Cycles::whole(40 + kIpi + kInterrupt + kInvlpg - 1));
        }
    }

    TEST_CASE("who has interrupts off takes them when it has unlocked") {
        SideBySide run = linux_vcpus(2);
        const std::string send = "shootdown 0x1000 pages=1 cpus=1\ncpu 1\n";
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            CHECK(run(send + "lock b\ncompute 5000\nunlock b").end(0) ==
                  kIpi + kInterrupt + kInvlpg);
            CHECK(run(send + "lock b irqs-off\ncompute 5000\nunlock b\ncompute 10").end(0) ==
                  5000 + kInterrupt + kInvlpg);
            CHECK(run(send + "lock b irqs-off\nlock c irqs-off\nunlock b\ncompute 700\nunlock c")
                      .end(0) == 700 + kInterrupt + kInvlpg);
            // It sends and is answered all the same.
            CHECK(run("lock b irqs-off\nshootdown 0x1000 pages=1\nunlock b").end(0) ==
                  kIpi + kInterrupt + kInvlpg);
        }
        CHECK(
            error_of(run,
                     "lock a\ncompute 10\nshootdown 0x1000 pages=1\nunlock a\ncpu 1\ncompute 1\n"
                     "lock a irqs-off\nunlock a") ==
            "program:3:1: deadlock: vCPU 0 waits in line 3 for vCPU 1 to take its interrupt, which "
            "has them off since it asked for lock 'a'; vCPU 1 waits in line 7 for lock 'a', which "
            "vCPU 0 took in line 1");
        CHECK(
            error_of(run,
                     "lock a irqs-off\nshootdown 0x1000 pages=1\nunlock a\ncpu 1\n"
                     "lock b irqs-off\nshootdown 0x1000 pages=1\nunlock b") ==
            "program:2:1: deadlock: vCPU 0 waits in line 2 for vCPU 1 to take its interrupt, which "
            "has them off since it asked for lock 'b'; vCPU 1 waits in line 6 for vCPU 0 to take "
            "its interrupt, which has them off since it asked for lock 'a'");
    }

    TEST_CASE("who is off its processor takes no interrupt until it is back") {
        SideBySide run = linux_vcpus(2);
        run.schedule.steal = {
            {100'000'000, ClockDomain::kCore}, {9'000'000, ClockDomain::kCore}, 0};
        const auto first = [&](std::size_t vcpu) {
            return StealTimes(run.schedule.steal, run.timing, vcpu).next();
        };
        // A seed with which the target leaves before the interrupt comes, and the sender does not.
        while (first(1) >= Cycles::whole(kIpi) || first(0) < Cycles::whole(20'000)) {
            ++run.schedule.steal.seed;
            REQUIRE(run.schedule.steal.seed < 1'000'000);
        }
        const std::int64_t left = (first(1).milli + 999) / 1000;
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result =
                run("compute 1\nshootdown 0x1000 pages=1 cpus=1\ncpu 1\ncompute 10000");
            CHECK(result.end(0) == static_cast<double>(left) + 9000 + kInterrupt + kInvlpg);
        }
    }

    TEST_CASE("the order that is written has each vCPU's part") {
        CHECK(linux_vcpus(3)("compute 7\nshootdown 0x1000 pages=1").schedule ==
              "nestwalk-trace 1\ncompute 7\nshootdown 0x1000 pages=1 send\ncpu 1\n"
              "flush-range 0x1000 pages=1 remote from=0\ncpu 2\nflush-range 0x1000 pages=1 remote "
              "from=0\n"
              "cpu 0\nshootdown 0x1000 pages=1 end\n");
        CHECK(linux_vcpus(2)("cpu 1\nspace s1\nswitch s1\ncompute 9\ncpu 0\ncompute 1\nshootdown "
                             "0x1000 pages=1")
                  .schedule ==
              "nestwalk-trace 1\ncpu 1\nspace s1\nswitch s1\ncpu 0\ncompute 1\n"
              "shootdown 0x1000 pages=1 send\nshootdown 0x1000 pages=1 end\ncpu "
              "1\ncompute 9\n");
    }

    TEST_CASE("vCPUs that flush the same page at once are each acknowledged by all others") {
        SideBySide run = linux_vcpus(6);
        std::string program;
        for (int vcpu = 0; vcpu < 6; ++vcpu) {
            program += "cpu " + std::to_string(vcpu) + "\ncompute " +
                       std::to_string(1 + 20 * vcpu) +
                       "\nrepeat 10 {\nshootdown 0x1000 pages=1\ncompute 70\n}\n";
        }
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            const SideBySideResult result = run(program);
            CHECK(result.whole()[counter::kIpis] == 6 * 5 * 10);
            CHECK(result.whole()[counter::kInterrupts] == 6 * 5 * 10);
            for (int vcpu = 0; vcpu < 6; ++vcpu) {
                const std::string taken = "remote from=" + std::to_string(vcpu) + "\n";
                int count = 0;
                for (std::size_t at = result.schedule.find(taken); at != std::string::npos;
                     at = result.schedule.find(taken, at + 1)) {
                    ++count;
                }
                CHECK(count == 5 * 10);
            }
        }
    }

    TEST_CASE("a vCPU that has left the guest is not waited for") {
        SideBySide run = linux_vcpus(2);
        run.system.paging = Paging::kNested;
        run.timing.guest = run.timing.bare;
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            // It leaves before the interrupt has come.
            const SideBySideResult leaves =
                run("shootdown 0x1000 pages=1\ncpu 1\ncompute 10\nvmexit\ncompute 5000\nvmentry");
            CHECK(leaves.end(0) == kIpi);
            CHECK(leaves.whole()[counter::kInterrupts] == 1);
            CHECK(leaves.end(1) == 10 + 5000 + kInterrupt + kInvlpg);
            // It had left before it was sent.
            const SideBySideResult left =
                run("compute 100\nshootdown 0x1000 pages=1\ncpu 1\nvmexit\ncompute 5000\nvmentry");
            CHECK(left.end(0) == 100 + kIpi);
            CHECK(left.end(1) == 5000 + kInterrupt + kInvlpg);
        }
    }

    TEST_CASE("a flush by broadcast waits for what others have under way when it is due") {
        SideBySide run = linux_vcpus(2);
        run.machine = exact_amd_machine();
        run.machine.features.invlpgb = true;
        run.system.pcid = true;
        run.system.os.invlpgb = true;
        run.timing.walk = core_cycles(2000);
        run.timing.tlbsync = core_cycles(70);
        const std::string flush = "flush-range 0xffff888000000000 pages=1 kernel\n";
        for (const TimeKeeper keeper : kKeepers) {
            run.keeper = keeper;
            CHECK(run(flush).end(0) == 70);
            CHECK(run("load 0x1000\n" + flush).end(0) == 2000 + 70);
            const SideBySideResult result =
                run("load 0x1000\n" + flush + "cpu 1\ncompute 500\nload 0x5000\ncompute 9000");
            CHECK(result.end(0) == 500 + 2000 + 70);
            CHECK(result.whole()[counter::kIpis] == 0);
        }
    }

    TEST_CASE("an expectation and an explanation stay with their shootdown") {
        SideBySide run = linux_vcpus(2);
        run.checking = Checking::kOn;
        CHECK(run("explain \"e\"\nshootdown 0x1000 pages=1\nexpect ipis=1\nexpect interrupts=0")
                  .failures.empty());
    }

    TEST_CASE("shootdowns that make no sense are errors with their place") {
        const SideBySide run = linux_vcpus(2);
        CHECK(error_of(run, "compute 1\nshootdown 0x1000 pages=1 cpus=0") ==
              "program:2:1: shootdown: cpu 0 is the one that sends; its own part is a flush-range");
        CHECK(error_of(run, "shootdown 0x1000 pages=1 cpus=2") ==
              "program:1:1: shootdown: there is no cpu 2: system.vcpus is 2");
        CHECK(error_of(run, "shootdown 0x1000 pages=1 end") ==
              "program:1:1: shootdown: the vCPU has sent none of that range; expected a "
              "'shootdown ... send' before its end");
        CHECK(
            error_of(run, "shootdown 0x1000 pages=1 send\nshootdown 0x1000 pages=1 send") ==
            "program:2:1: shootdown: the vCPU has not ended the one that it sent before; expected "
            "a 'shootdown ... end'");
        CHECK(error_of(run, "shootdown 0x1000 pages=1 send\nshootdown 0x1000 pages=1 end") ==
              "program:2:1: deadlock: vCPU 0 waits in line 2 for vCPU 1 to take its interrupt, and "
              "it "
              "has no more records");
        CHECK(error_of(run,
                       "shootdown 0x1000 pages=1 send\ncpu 1\ncompute 1000\nflush-range 0x1000 "
                       "pages=2 remote from=0") ==
              "program:4:1: flush-range: vCPU 0 has sent this vCPU no interrupt of that range; "
              "expected its 'shootdown ... send' before");
        CHECK(error_of(SideBySide{}, "shootdown 0x1000 pages=1").find("set system.os.kind") !=
              std::string::npos);
    }
}

}  // namespace
}  // namespace nestwalk::test
