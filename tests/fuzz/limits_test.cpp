// Hostile input ends with an error or finishes, in bounded memory and time; what must run for very
// long can be interrupted.
#include "apps/experiment_file.h"
#include "apps/yaml_reader.h"
#include "models/entry.h"
#include "models/operation_error.h"
#include "models/unbounded.h"
#include "sim/footprint.h"
#include "sim/replay.h"
#include "tests/fuzz/replay_settings.h"
#include "tests/input_error.h"
#include "tests/models/machines.h"
#include "tests/models/test_system.h"
#include "traces/text_trace_reader.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::uint64_t kMiB = 1024;  // of KiB, as /proc counts

// A number of /proc/self/status, in KiB.
std::uint64_t status(const std::string& name) {
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;) {
        std::uint64_t value = 0;
        if (word == name + ":" && in >> value) return value;
    }
    return 0;
}

// How far `call` drives the memory in use above what was in use before, in KiB. AddressSanitizer
// keeps freed memory, so it says nothing then.
template <class Call>
std::uint64_t growth(Call call) {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
    const std::uint64_t before = status("VmRSS");
    call();
    const std::uint64_t peak = status("VmHWM");
    return kSanitized || peak < before ? 0 : peak - before;
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

std::string yaml_error(const std::string& text) {
    return error_of([&] { read_yaml(text, "y"); });
}

std::string trace_error(const std::string& text) {
    TextTraceReader reader(text, {"trace"});
    return error_of([&] {
        while (reader.next() != nullptr) {
        }
    });
}

/// A machine whose arrays hold a few entries each.
MachineParameters small_machine() { return fuzz::machine_of({}); }

struct Run {
    Counters counters{};
    std::uint64_t collapsed{};
    std::string error{"no error"};
};

Run run(const std::string& text, const MachineParameters& machine = small_machine(),
        const SystemParameters& parameters = {}) {
    System system(machine, parameters);
    Replay replay(system, {});
    TextTraceReader reader(text, {"trace"});
    const std::string error = error_of([&] { replay.run(reader); });
    return {replay.statistics().whole(), replay.collapsed_iterations(), error};
}

// True if the replay stops soon after it is told to, and not before.
bool is_interrupted(const std::string& text, const MachineParameters& machine = small_machine(),
                    const SystemParameters& parameters = {}) {
    std::atomic<bool> stop{false};
    System system(machine, parameters);
    Replay replay(system, {.stop = &stop});
    TextTraceReader reader(text, {"trace"});
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop = true;
    });
    bool interrupted = false;
    try {
        replay.run(reader);
    } catch (const Interrupted&) {
        interrupted = stop;
    }
    later.join();
    return interrupted;
}

TEST_SUITE("limits of configuration") {
    TEST_CASE("an experiment that is an alias bomb ends with an error") {
        std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 40; ++i) {
            const std::string below = "*a" + std::to_string(i - 1);
            bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
                    repeated(below + ", ", 8) + below + "]\n";
        }
        CHECK(yaml_error(bomb) == "y:1:5: anchors and aliases are not supported");
        CHECK(yaml_error("a: *a\n").find("anchors and aliases are not supported") !=
              std::string::npos);
    }

    TEST_CASE("nesting 100,000 deep is an error, however it is written") {
        constexpr std::size_t kDeep = 100'000;
        const std::uint64_t grown = growth([&] {
            for (const char* opening : {"[", "{a: ", "- ", "? ", "[{", "{[", "{? ", "- - ? "}) {
                CAPTURE(opening);
                CHECK(yaml_error(repeated(opening, kDeep)) != "no error");
                CHECK(yaml_error("a: " + repeated(opening, kDeep)) != "no error");
            }
            std::string indented;
            for (std::size_t i = 0; i < 1500; ++i) indented += std::string(i, ' ') + "a:\n";
            CHECK(yaml_error(indented).find("nested deeper than 32 levels") != std::string::npos);
        });
        CHECK(grown < 200 * kMiB);
    }

    TEST_CASE("more values than a configuration needs are an error") {
        CHECK(yaml_error("a: [" + repeated("1, ", 200'000) + "1]\n").find("more than 100000") !=
              std::string::npos);
    }

    TEST_CASE("a machine that would not fit into memory is an error") {
        const auto error = [](const std::string& vcpus) {
            return error_of([&] {
                read_experiment(read_yaml("machine: haswell-ep\n"
                                          "set: {stlb.entries: 1048576}\n"
                                          "system: {vcpus: " +
                                              vcpus + "}\nworkload: {program: load 0}\n",
                                          "y"),
                                "/nonexistent");
            });
        };
        CHECK(error("1") == "no error");
        CHECK(error("64").find("y:1:10: machine: has 67") == 0);
    }

    TEST_CASE("a mebibyte of any one thing is read in a moment") {
        constexpr std::size_t kMost = 1 << 20;
        for (const char* text : {"a", " ", "#", "\n", "'", "\"", "\\", "a: |\n ", "\t", ":", "!",
                                 "%", "&", "*", ">", "---\n", "...\n", "a:\n", "? a\n"}) {
            CAPTURE(text);
            const std::string all = repeated(text, kMost / std::string(text).size());
            error_of([&] { read_yaml(all, "y"); });
        }
    }
}

TEST_SUITE("limits of reading traces") {
    TEST_CASE("100,000 blocks in one another are an error") {
        CHECK(trace_error(repeated("repeat 2 {\n", 100'000)).find("blocks nested too deep") !=
              std::string::npos);
    }

    TEST_CASE("a line of a mebibyte of words is an error") {
        CHECK(trace_error("expect" + repeated(" a=1", 260'000)).find("too many words") !=
              std::string::npos);
        CHECK(trace_error("load" + repeated(" x", 500'000)).find("too many words") !=
              std::string::npos);
    }

    TEST_CASE("a block of heavy records is bounded in memory") {
        const std::string heavy = "shootdown 0 pages=1 cpus=0-8191\n";
        const std::uint64_t grown = growth([&] {
            CHECK(trace_error("repeat 2 {\n" + repeated(heavy, 200'000))
                      .find("too many records in a repeat block") != std::string::npos);
        });
        CHECK(grown < 2048 * kMiB);
    }

    TEST_CASE("a name longer than anyone needs is an error") {
        const std::string longest(255, 'n');
        CHECK(trace_error("space " + longest + "\n") == "no error");
        CHECK(trace_error("space " + longest + "n\n").find("name too long") != std::string::npos);
        CHECK(trace_error("phase \"" + longest + "\"\n") == "no error");
        CHECK(trace_error("phase \"" + longest + "n\"\n").find("name too long") !=
              std::string::npos);
    }
}

TEST_SUITE("limits of replaying") {
    constexpr std::uint64_t kLoads = counter::kReferences;

    TEST_CASE("a loop of 2^62 iterations collapses") {
        const Run result = run("repeat 4611686018427387904 {\nload 0\n}\n");
        CHECK(result.error == "no error");
        CHECK(result.counters[kLoads] == std::uint64_t{1} << 62);
    }

    TEST_CASE("nested loops of 2^60 iterations in all collapse") {
        const Run result = run("repeat 1G {\nrepeat 1G {\nload 0\n}\n}\n");
        CHECK(result.error == "no error");
        CHECK(result.counters[kLoads] == std::uint64_t{1} << 60);
    }

    TEST_CASE("iterations without end of nothing finish") {
        CHECK(run("repeat 18446744073709551615 {\n}\n").error == "no error");
        const std::string nested =
            repeated("repeat 18446744073709551615 {\n", 8) + repeated("}\n", 8);
        CHECK(run(nested).error == "no error");
    }

    TEST_CASE("a count that leaves 64 bits is an error at its loop") {
        const std::string text = "repeat 18446744073709551615 {\nrepeat 2 {\nload 0\n}\n}\n";
        CHECK(run(text).error == "trace:1: repeat: a statistic grows beyond 64 bits");
    }

    TEST_CASE("what never collapses can be interrupted") {
        CHECK(is_interrupted("load 0 count=9223372036854775808\n"));
        CHECK(is_interrupted("load 0 count=18446744073709551615 stride=4096\n", small_machine(),
                             {.demand = Demand::kFault}));
        CHECK(is_interrupted("load 0x8000_0000_0000 count=18446744073709551615\n"));
        CHECK(is_interrupted("repeat 18446744073709551615 {\nload 0 count=9\n}\n", small_machine(),
                             {.vcpus = 2}));
        // Each block is executed a few times before it collapses, here 64 levels deep.
        CHECK(
            is_interrupted(repeated("repeat 18446744073709551615 {\n", 64) + repeated("}\n", 64)));
        // Each iteration takes another frame.
        CHECK(is_interrupted("repeat 18446744073709551615 {\nmap 0 size=2M\nsplit 0\n}\n"));
    }

    TEST_CASE("an iteration of a huge block can be interrupted") {
        CHECK(is_interrupted("repeat 1000000 {\n" + repeated("load 0 count=100\n", 100'000) + "}\n",
                             small_machine(), {.vcpus = 2}));
    }

    TEST_CASE("INVLPGB takes no longer for many pages") {
        MachineParameters machine = test::exact_amd_machine();
        const Run most =
            run("load 0 count=20000 stride=4K\nrepeat 3 {\ninvlpgb va=0 pages=65536 "
                "stride=2M globals nested\n}\nload 0\n",
                machine);
        CHECK(most.error == "no error");
        CHECK(most.counters[counter::kWalks] == 20'001);
        const Run beyond = run("invlpgb va=0 pages=9223372036854775808\n", machine);
        CHECK(beyond.error == "no error");
        CHECK(beyond.counters[counter::kFaults +
                              static_cast<std::size_t>(FaultKind::kGeneralProtection) - 1] == 1);
    }

    TEST_CASE("INVLPGB without TLBSYNC is an error in the end") {
        MachineParameters machine = test::exact_amd_machine();
        machine.invalidation.remote_invlpgb = RemoteInvlpgb::kAtTlbsync;
        std::string different;
        for (int page = 0; page < 5000; ++page)
            different += "invlpgb va=" + std::to_string(page * 4096) + "\n";
        CHECK(run(different, machine, {.vcpus = 2}).error.find("wait for a tlbsync") !=
              std::string::npos);
        CHECK(
            run("repeat 20000 {\ninvlpgb va=0 pages=9 globals\n}\n", machine, {.vcpus = 2}).error ==
            "no error");
    }

    TEST_CASE("thousands of spaces, virtual machines and host tables") {
        std::string text;
        for (int i = 0; i < 4000; ++i) text += "space s" + std::to_string(i) + "\n";
        for (int i = 0; i < 4000; ++i) text += "eptp e" + std::to_string(i) + "\n";
        for (int i = 0; i < 4000; ++i) text += "vm v" + std::to_string(i) + "\n";
        const SystemParameters nested{.paging = Paging::kNested};
        const std::uint64_t grown =
            growth([&] { CHECK(run(text, small_machine(), nested).error == "no error"); });
        CHECK(grown < 100 * kMiB);

        for (int i = 4000; i < 5000; ++i) text += "space s" + std::to_string(i) + "\n";
        CHECK(run(text, small_machine(), nested).error.find("too many address spaces") !=
              std::string::npos);
    }

    TEST_CASE("there are 4096 phases and no more") {
        std::string text;
        for (int i = 0; i < 4096; ++i) text += "phase \"p" + std::to_string(i) + "\"\n";
        CHECK(run(text).error == "no error");
        CHECK(run(text + "phase \"p0\"\n").error == "no error");
        CHECK(run(text + "phase \"another\"\n").error.find("more than 4096 phases") !=
              std::string::npos);
    }

    TEST_CASE("pages without end fill the page tables, whose limit is an error") {
        // One page a cache line of entries: 2 Mi lines, the least memory per entry and the most in
        // all.
        const std::uint64_t grown = growth([&] {
            CHECK(run("load 0 count=4294967296 stride=32K\n")
                      .error.find("trace:1:1: the page tables outgrow the model") !=
                  std::string::npos);
        });
        CHECK(grown < 700 * kMiB);
    }

    TEST_CASE("page tables without end leave no frame for them") {
        const std::uint64_t grown = growth([&] {
            CHECK(run("load 0 count=4294967296 stride=2M\n").error.find("no frame is left") !=
                  std::string::npos);
        });
        CHECK(grown < 700 * kMiB);
    }

    TEST_CASE(
        "addresses without end that map nothing fill the footprint, whose limit is an error") {
        Footprint footprint;
        const std::uint64_t grown = growth([&] {
            std::uint64_t touched = 0;
            CHECK_THROWS_AS(for (;; ++touched) footprint.touch(VirtAddr(touched << 21)),
                            OperationError);
            CHECK(touched == Footprint::kMostRegions);
        });
        CHECK(grown < 400 * kMiB);
    }

    TEST_CASE("an unbounded array has a limit") {
        struct Entry {
            std::uint64_t digest() const { return 0; }
            bool operator==(const Entry&) const = default;
        };
        Unbounded<Entry> array;
        std::uint64_t page = 0;
        CHECK_THROWS_AS(for (;; ++page) array.insert(page, 1, {}, {}, [](const Entry&) {}),
                        OperationError);
        CHECK(page == Unbounded<Entry>::kMostEntries);
    }

    TEST_CASE("a frame that two entries lead to is given back once") {
        test::TestSystem system(test::exact_machine());
        system.load(0x4000'0000);
        const std::uint64_t directory = system.entry(0x4000'0000, 3) & entry_bit::kTarget;
        for (int round = 0; round < 3; ++round) {
            system.edit(0x8000'0000,
                        {.level = 3, .present = true, .large = false, .to = directory});
            system.map_to(0x8000'0000, 0, PageSize::k1G);
        }
        system.load(0xc000'0000);
        const std::uint64_t one = system.last().physical;
        system.load(0xc000'1000);
        CHECK(one != system.last().physical);
        CHECK(system.load(0x4000'0000).starts_with("hit"));
    }

    TEST_CASE("pieces of a misused entry stay inside their own bits") {
        const SystemParameters five_levels{.guest = {.levels = 5}};
        test::TestSystem system(test::exact_machine(), five_levels);
        system.load(0);
        system.edit(0, {.level = 5, .large = true, .to = entry_bit::kTarget});
        system.apply(Split{VirtAddr(0), std::nullopt});
        for (std::uint64_t piece = 0; piece < 512; ++piece) {
            const std::uint64_t raw = system.entry(piece << 39, 4);
            CHECK((raw & (entry_bit::kFrameOwned | entry_bit::kUnmapped)) == 0);
        }
        CHECK_THROWS_AS(system.map_to(0, std::uint64_t{1} << 52), OperationError);
    }

    TEST_CASE("expectations that fail without end are an error") {
        System system(small_machine(), {});
        Replay replay(system, {.checking = Checking::kOn});
        TextTraceReader reader("repeat 1G {\nload 0\nexpect fault\n}\n", {"trace"});
        CHECK(error_of([&] { replay.run(reader); }) ==
              "trace:3:1: more than 10000 expectations do not hold");
        CHECK(replay.failures().size() == 10'000);
    }
}

}  // namespace
}  // namespace nestwalk
