// `nestwalk run --engine cycle` on several vCPUs: the order that is written, and what reports say
// of vCPUs and locks.
#include "tests/apps/program.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kTwo =
    "machine: haswell-ep\nsystem: {vcpus: 2}\nworkload:\n"
    "  program: |\n"
    "    repeat 20 {\n      cpu 0\n      lock a\n      compute 100\n      unlock a\n      mov-cr3\n"
    "      load 0x400000 count=5 stride=4K\n      cpu 1\n      lock a\n      compute 300\n"
    "      unlock a\n      load 0x400000 count=5 stride=4K\n    }\n";

/// The rows of the whole run, those of time left out.
std::string counts(const std::string& csv) {
    std::string kept;
    for (std::size_t at = 0; at < csv.size();) {
        const std::size_t end = csv.find('\n', at);
        const std::string line = csv.substr(at, end - at);
        const bool time = line.find("cycles") != std::string::npos || line.find(",walk.") == 0 ||
                          line.find("TSC") != std::string::npos ||
                          line.find("hit_on_pending") != std::string::npos ||
                          line.find("locks") != std::string::npos ||
                          line.find("steals") != std::string::npos;
        if (!time) kept += line + "\n";
        at = end + 1;
    }
    return kept;
}

TEST_SUITE("nestwalk run of several vCPUs") {
    TEST_CASE("replaying the schedule log counts what the run counted") {
        const Workplace place;
        place.write("e.yaml", kTwo);
        const Finished run = place.run(
            "nestwalk run e.yaml --engine cycle --schedule-log order.nwt --format csv "
            "--set system.steal='{mean_interval: 1000, duration: 300, seed: 4}'");
        CHECK(run.status == 0);
        CHECK(run.err.empty());
        CHECK(place.read("order.nwt").rfind("nestwalk-trace 1\n", 0) == 0);
        CHECK_FALSE(place.has("order.nwt.partial"));
        const Finished again = place.run("nestwalk run e.yaml --trace order.nwt --format csv");
        CHECK(again.status == 0);
        CHECK(counts(again.out) == counts(run.out));
        CHECK(counts(run.out).find("operations.lock,40,operations") != std::string::npos);
        CHECK(run.out.find("\n,steals,0,") == std::string::npos);
        CHECK(run.out.find("\n,steals,") != std::string::npos);
        CHECK(again.out.find("\n,steals,") == std::string::npos);
    }

    TEST_CASE("the same run is the same to the last byte and another seed is another run") {
        const Workplace place;
        place.write("e.yaml", kTwo);
        const std::string run =
            "nestwalk run e.yaml --engine cycle --format json --set "
            "system.steal='{mean_interval: 1000, duration: 300}'";
        CHECK(place.run(run).out == place.run(run).out);
        CHECK(place.run(run).out != place.run(run + " --set system.steal.seed=9").out);
    }

    TEST_CASE("the trace in its own order is refused where a lock is taken twice") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nsystem: {vcpus: 2}\nworkload: {program: \"lock a\\ncpu "
                    "1\\nlock a\\nunlock a\\ncpu 0\\ncompute 10\\nunlock a\"}\n");
        const Finished replay = place.run("nestwalk run e.yaml");
        CHECK(replay.status == 2);
        CHECK(replay.out.empty());
        CHECK(replay.err.find("lock: 'a' is held by vCPU 0 already") != std::string::npos);
        CHECK(place.run("nestwalk run e.yaml --engine cycle").status == 0);
    }

    TEST_CASE("a text report has tables of vCPUs and locks") {
        const Workplace place;
        place.write("e.yaml", kTwo);
        const std::string text = place.run("nestwalk run e.yaml --engine cycle").out;
        CHECK(text.find("\nvCPU  ") != std::string::npos);
        CHECK(text.find("stall.lock  stall.ipi  stall.steal  stall.idle\n") != std::string::npos);
        CHECK(text.find("\nlock  acquired") != std::string::npos);
        CHECK(text.find("\na           40") != std::string::npos);
        CHECK(text.find("\nlength ") != std::string::npos);
        const std::string replayed = place.run("nestwalk run e.yaml").out;
        CHECK(replayed.find("\nvCPU  ") != std::string::npos);
        CHECK(replayed.find("\nlock  acquired") == std::string::npos);
        CHECK(replayed.find("locks.held") == std::string::npos);
        const std::string alone =
            place.run("nestwalk run e.yaml --set system.vcpus=1 --set 'workload={program: load 1}'")
                .out;
        CHECK(alone.find("vCPU") == std::string::npos);
        CHECK(alone.find("length") == std::string::npos);
    }

    TEST_CASE("JSON and CSV have vCPUs and locks by name and the length of the run") {
        const Workplace place;
        place.write("e.yaml", kTwo);
        const std::string run = "nestwalk run e.yaml --engine cycle --format ";
        const auto json = nlohmann::json::parse(place.run(run + "json").out);
        REQUIRE(json["vcpus"].size() == 2);
        const double first = json["vcpus"][0]["cycles.total"];
        const double second = json["vcpus"][1]["cycles.total"];
        CHECK(json["whole"]["cycles.total"] == first + second);
        CHECK(json["whole"]["length"] == std::max(first, second));
        REQUIRE(json["locks"].size() == 1);
        CHECK(json["locks"][0]["name"] == "a");
        CHECK(json["locks"][0]["acquired"] == 40);
        CHECK(json["locks"][0]["held"] == 20 * 400);
        CHECK(json["locks"][0]["blocked"] == json["whole"]["locks.blocked"]);
        const std::string csv = place.run(run + "csv").out;
        CHECK(csv.find("\n,lock.a.held,8000,core cycles\n") != std::string::npos);
        CHECK(csv.find("\n,lock.a.acquired,40,locks\n") != std::string::npos);
        CHECK(csv.find("\n,vcpu.1.cycles.stall.lock,") != std::string::npos);
        CHECK(csv.find("\n,length,") != std::string::npos);
    }

    TEST_CASE("replay says that nobody waits for interrupts and the cycle engine has them wait") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nset: {timing.ipi: 100, timing.interrupt: 900}\n"
                    "system: {vcpus: 2, os: {kind: linux}}\n"
                    "workload: {program: \"shootdown 0x1000 pages=1\"}\n");
        const std::string run = "nestwalk run e.yaml --format csv";
        const Finished replay = place.run(run);
        CHECK(replay.status == 0);
        CHECK(
            replay.err ==
            "note: interrupts of shootdowns come at once and nobody waits for them: only --engine "
            "cycle runs vCPUs in time\n");
        CHECK(replay.out.find("\n,vcpu.0.cycles.total,100,") != std::string::npos);
        const Finished cycle = place.run(run + " --engine cycle");
        CHECK(cycle.status == 0);
        CHECK(cycle.err.empty());
        CHECK(cycle.out.find("\n,vcpu.0.cycles.total,1216,") != std::string::npos);
        CHECK(place.run(run + " --set timing=off").err.empty());
    }

    TEST_CASE("vCPUs that wait for one another forever end the run with their places") {
        const Workplace place;
        const auto run = [&](const std::string& program) {
            std::string lines;
            for (const char c : program) lines += c == '\n' ? "\\n" : std::string(1, c);
            place.write("e.yaml",
                        "machine: haswell-ep\nsystem: {vcpus: 2, os: {kind: linux}}\n"
                        "workload: {program: \"" +
                            lines + "\"}\n");
            return place.run("nestwalk run e.yaml --engine cycle");
        };
        // The interrupt is a record of a vCPU that comes to it only with the lock.
        const Finished locked =
            run("lock a\nshootdown 0x1000 pages=1 send\nshootdown 0x1000 pages=1 end\nunlock a\n"
                "cpu 1\ncompute 50\nlock a\nflush-range 0x1000 pages=1 remote from=0\nunlock a");
        CHECK(locked.status == 2);
        CHECK(locked.out.empty());
        CHECK(locked.err.find("e.yaml:3:") == 0);
        CHECK(
            locked.err.find("deadlock: vCPU 0 waits in line 3 for vCPU 1 to take its interrupt; "
                            "vCPU 1 waits in line 7 for lock 'a', which vCPU 0 took in line 1\n") !=
            std::string::npos);
        // The one that is waited for has ended.
        const Finished ended =
            run("shootdown 0x1000 pages=1 send\nshootdown 0x1000 pages=1 end\ncpu 1\ncompute 5");
        CHECK(ended.status == 2);
        CHECK(ended.err.find("deadlock: vCPU 0 waits in line 2 for vCPU 1 to take its interrupt, "
                             "and it has no more records\n") != std::string::npos);
        // It waits for a lock with interrupts off, whose owner waits for it.
        const Finished off =
            run("lock a\ncompute 50\nshootdown 0x1000 pages=1\nunlock a\ncpu 1\nlock a irqs-off\n"
                "unlock a");
        CHECK(off.status == 2);
        CHECK(off.err.find("deadlock: vCPU 0 waits in line 3 for vCPU 1 to take its interrupt, "
                           "which has them off since it asked for lock 'a'; vCPU 1 waits in line "
                           "6 for lock 'a', which vCPU 0 took in line 1\n") != std::string::npos);
        // A whole shootdown interrupts it where it is.
        CHECK(run("lock a\nshootdown 0x1000 pages=1\nunlock a\ncpu 1\nlock a\nunlock a").status ==
              0);
    }

    TEST_CASE("bursts of 32 vCPUs at the flush lock wait one hold after another") {
        const auto json = nlohmann::json::parse(
            Workplace()
                .run("nestwalk run '" NESTWALK_SOURCE_DIR
                     "/configs/experiments/flush-lock-pv-shim.yaml' --engine cycle --format json")
                .out);
        REQUIRE(json["locks"].size() == 2);
        for (const auto& lock : json["locks"]) {
            CAPTURE(lock.dump());
            // Two exits and entries of zen2, or one MOV CR3.
            const int hold = lock["name"] == "flush_lock.pge_on" ? 2 * 2 * 680 : 124;
            int free = 0;
            int blocked = 0;
            int contended = 0;
            int burst_at = 0;
            for (const int size : {6, 2, 10, 3, 7, 4}) {
                for (int asks = 0; asks < size; ++asks) {
                    contended += free > burst_at ? 1 : 0;
                    blocked += std::max(0, free - burst_at);
                    free = std::max(free, burst_at) + hold;
                }
                burst_at += 20'000;
            }
            CHECK(lock["acquired"] == 40 * 32);
            CHECK(lock["held"] == 40 * 32 * hold);
            CHECK(lock["contended"] == 40 * contended);
            CHECK(lock["blocked"] == 40 * blocked);
        }
    }

    TEST_CASE("the order of replay is the trace's so there is none to write") {
        const Workplace place;
        place.write("e.yaml", kTwo);
        const Finished finished = place.run("nestwalk run e.yaml --schedule-log order.nwt");
        CHECK(finished.status == 2);
        CHECK(finished.err ==
              "--schedule-log: replay executes the records in the order of the trace; expected "
              "--engine cycle with it\n");
        CHECK(place.run("nestwalk run e.yaml --engine cycle --schedule-log no/such/file").err ==
              "no/such/file: cannot write the schedule log: No such file or directory\n");
    }

    TEST_CASE("one vCPU has an order to write and absences too") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload: {program: \"compute 100000\"}\nsystem: {steal: "
                    "{mean_interval: 5000, duration: 1000}}\n");
        const Finished run =
            place.run("nestwalk run e.yaml --engine cycle --schedule-log o.nwt --format csv");
        CHECK(place.read("o.nwt") == "nestwalk-trace 1\ncompute 100000\n");
        CHECK(run.out.find("\n,cycles.stall.steal,0,") == std::string::npos);
        const Finished replay = place.run("nestwalk run e.yaml");
        CHECK(replay.status == 0);
        CHECK(replay.err ==
              "note: system.steal has no effect: only --engine cycle runs vCPUs in time\n");
    }

    TEST_CASE("a lock that is held at the end is noted") {
        const Workplace place;
        place.write("e.yaml", "machine: haswell-ep\nworkload: {program: \"lock a\"}\n");
        for (const std::string engine : {"replay", "cycle"}) {
            const Finished run = place.run("nestwalk run e.yaml --engine " + engine);
            CHECK(run.status == 0);
            CHECK(run.err == "note: vCPU 0 still holds lock 'a' at the end\n");
        }
    }

    TEST_CASE("a run of several vCPUs that goes on for ever can be stopped and its log replayed") {
        const Workplace place;
        place.write(
            "e.yaml",
            "machine: haswell-ep\nsystem: {vcpus: 2}\nworkload:\n  program: |\n"
            "    repeat 1000000000000 {\n      cpu 0\n      load 0x1000 count=3\n      cpu 1\n"
            "      load 0x1000 count=3\n    }\n");
        const Finished run = place.run(
            "nestwalk run e.yaml --engine cycle --format json --schedule-log o.nwt & pid=$!\n"
            "until test -s o.nwt.partial; do sleep 0.05; done; kill -INT $pid; wait $pid");
        CHECK(run.status == 130);
        CHECK_FALSE(place.has("o.nwt"));
        CHECK(run.err ==
              "note: what was logged until then is in o.nwt.partial\n"
              "nestwalk: interrupted; the results are of what was done until then\n");
        const auto partial = nlohmann::json::parse(run.out);
        CHECK(partial["partial"] == true);
        const auto again = nlohmann::json::parse(
            place.run("nestwalk run e.yaml --trace o.nwt.partial --format json").out);
        // All but perhaps the record in which it was stopped.
        const auto loads = [](const nlohmann::json& result) {
            return result["whole"]["references.load"].get<std::int64_t>();
        };
        CHECK(loads(partial) > 100);
        CHECK(std::abs(loads(partial) - loads(again)) <= 1);
        CHECK(again["whole"]["walks.load"] == partial["whole"]["walks.load"]);
    }
}

}  // namespace
}  // namespace nestwalk::test
