// 8 vCPUs that shoot down each other's pages, wait for a lock and are taken off their processors:
// the same run every time, on either clock, however the trace is laid out.
#include "tests/sim/side_by_side.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr int kVcpus = 8;
constexpr int kRounds = 40;

SideBySide eight_vcpus(TimeKeeper keeper) {
    SideBySide run;
    run.keeper = keeper;
    run.system.vcpus = kVcpus;
    run.system.os.kind = OsKind::kLinux;
    run.timing.ipi = core_cycles(200);
    run.timing.interrupt = core_cycles(1000);
    run.timing.bare.invlpg = core_cycles(130);
    run.timing.walk = core_cycles(40);
    run.schedule.seed = 5;
    run.schedule.steal = {{60'000'000, ClockDomain::kCore}, {7'000'000, ClockDomain::kCore}, 11};
    return run;
}

/// What a vCPU does in a round, a line each.
std::vector<std::string> round_of(int vcpu) {
    const std::string range = std::to_string(1 + vcpu % 3);
    return {"load 0x400000 count=12 stride=4K",
            "lock mm",
            "flush-range 0x400000 pages=" + range,
            "shootdown 0x400000 pages=" + range,
            "unlock mm",
            "compute " + std::to_string(900 + 37 * vcpu),
            "shootdown 0x400000 pages=1"};
}

/// One vCPU after another, each a loop.
std::string in_loops() {
    std::string program;
    for (int vcpu = 0; vcpu < kVcpus; ++vcpu) {
        program += "cpu " + std::to_string(vcpu) + "\nrepeat " + std::to_string(kRounds) + " {\n";
        for (const std::string& line : round_of(vcpu)) program += line + "\n";
        program += "}\n";
    }
    return program;
}

/// The same streams written out, `chunk` records of each vCPU at a time, the last vCPU first.
std::string in_chunks(std::size_t chunk) {
    std::vector<std::vector<std::string>> streams;
    for (int vcpu = 0; vcpu < kVcpus; ++vcpu) {
        std::vector<std::string> lines;
        for (int round = 0; round < kRounds; ++round) {
            for (const std::string& line : round_of(vcpu)) lines.push_back(line);
        }
        streams.push_back(lines);
    }
    std::string program;
    for (std::size_t at = 0; at < streams.front().size(); at += chunk) {
        for (std::size_t vcpu = streams.size(); vcpu-- > 0;) {
            const std::vector<std::string>& lines = streams[vcpu];
            program += "cpu " + std::to_string(vcpu) + "\n";
            const std::size_t end = std::min(at + chunk, lines.size());
            for (std::size_t line = at; line < end; ++line) program += lines[line] + "\n";
        }
    }
    return program;
}

void check_same(const SideBySideResult& one, const SideBySideResult& other) {
    CHECK(one.schedule == other.schedule);
    CHECK(one.whole() == other.whole());
    CHECK(one.vcpus == other.vcpus);
    REQUIRE(one.locks.size() == other.locks.size());
    for (std::size_t lock = 0; lock < one.locks.size(); ++lock) {
        CHECK(one.locks[lock].acquired == other.locks[lock].acquired);
        CHECK(one.locks[lock].contended == other.locks[lock].contended);
        CHECK(one.locks[lock].held == other.locks[lock].held);
        CHECK(one.locks[lock].blocked == other.locks[lock].blocked);
    }
}

TEST_SUITE("8 vCPUs with shootdowns") {
    TEST_CASE("the same seeds give the same run however the trace is cut") {
        for (const TimeKeeper keeper : {TimeKeeper::kReplay, TimeKeeper::kCycleEngine}) {
            const SideBySide run = eight_vcpus(keeper);
            const SideBySideResult first = run(in_loops());
            CHECK(first.whole()[counter::kIpis] == 2 * kVcpus * kRounds * (kVcpus - 1));
            CHECK(first.whole()[counter::kInterrupts] == first.whole()[counter::kIpis]);
            CHECK(first.whole()[counter::kLocksContended] > kVcpus * kRounds / 2);
            CHECK(first.whole()[counter::kSteals] > 10);
            check_same(first, run(in_loops()));
            for (const std::size_t chunk : {1u, 7u, 64u, 1000u}) {
                CAPTURE(chunk);
                check_same(first, run(in_chunks(chunk)));
            }
        }
    }

    TEST_CASE("another seed is another run and counts the same shootdowns") {
        SideBySide run = eight_vcpus(TimeKeeper::kCycleEngine);
        const SideBySideResult first = run(in_loops());
        run.schedule.steal.seed = 12;
        const SideBySideResult stolen = run(in_loops());
        CHECK(stolen.schedule != first.schedule);
        CHECK(stolen.whole()[counter::kIpis] == first.whole()[counter::kIpis]);
        run = eight_vcpus(TimeKeeper::kCycleEngine);
        run.schedule.seed = 6;
        CHECK(run(in_loops()).schedule != first.schedule);
    }

    TEST_CASE("what the schedule log counts when it is replayed is what was counted") {
        const SideBySide run = eight_vcpus(TimeKeeper::kCycleEngine);
        const SideBySideResult result = run(in_loops());
        const Counters again = replayed(result.schedule, run.machine, run.system);
        for (const std::size_t index :
             {counter::kIpis, counter::kInterrupts, counter::kReferences, counter::kWalks}) {
            CHECK(again[index] == result.whole()[index]);
        }
    }
}

}  // namespace
}  // namespace nestwalk::test
