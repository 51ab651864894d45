// What a replay tells of the operations that a trace explains.
#include "sim/replay.h"
#include "tests/models/machines.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"

#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Reads = std::vector<std::string>;

struct Run {
    std::vector<ToldOperation> told{};
    std::uint64_t left_out{};
    std::uint64_t collapsed{};
};

Run run(const std::string& program, const MachineParameters& machine,
        const SystemParameters& parameters = {}, LoopCollapse loop_collapse = LoopCollapse::kOn) {
    System system(machine, parameters);
    Replay replay(system, {.loop_collapse = loop_collapse});
    TextTraceReader reader(program, {"trace"});
    replay.run(reader);
    return {replay.narrative().operations(), replay.narrative().left_out(),
            replay.collapsed_iterations()};
}

Run native(const std::string& program) { return run(program, exact_machine()); }

SystemParameters nested() {
    SystemParameters parameters;
    parameters.paging = Paging::kNested;
    return parameters;
}

/// What happened in the operation that the program ends with, which alone is explained.
std::string outcome(const std::string& before, const std::string& last) {
    return native(before + "explain \"why\"\n" + last + "\n").told.at(0).outcome;
}

TEST_SUITE("narrative") {
    TEST_CASE("an explanation is about the operation just after it") {
        const Run told = native("load 0x1000\nexplain \"Again.\"\nload 0x1000\nload 0x2000\n");
        REQUIRE(told.told.size() == 1);
        CHECK(told.told[0].line == 3);
        CHECK(told.told[0].operation == "load 0x1000");
        CHECK(told.told[0].outcome == "hit in the L1 TLB");
        CHECK(told.told[0].walks.empty());
        CHECK(told.told[0].explanation == "Again.");
    }

    TEST_CASE("several explanations in a row are one, across phases and into a repeat") {
        const Run told = native(
            "explain \"One.\"\nphase \"p\"\nexplain \"Two.\"\nrepeat 2 {\n  load 0x1000\n}\n");
        REQUIRE(told.told.size() == 1);
        CHECK(told.told[0].explanation == "One. Two.");
    }

    TEST_CASE("an explanation that no operation follows tells nothing") {
        CHECK(native("load 0x1000\nexplain \"End.\"\n").told.empty());
    }

    TEST_CASE("outcomes in words and numbers") {
        CHECK(outcome("", "load 0x1000") == "miss, 4 reads from the root");
        CHECK(outcome("load 0x1000\n", "load 0x2000") == "miss, 1 read below a cached PDE");
        CHECK(outcome("load 0x1000\n", "fetch 0x1000") == "hit in the STLB");
        CHECK(outcome("load 0x1000\n", "load 0x1000 count=3 stride=4K") ==
              "3 translations, 1 hit in the L1 TLB, 2 misses, 2 reads");
        CHECK(outcome("", "mov-cr3") == "drops nothing");
        CHECK(outcome("load 0x1000\n", "invlpg 0x1000") ==
              "drops 2 TLB entries, 3 paging-structure entries");
        CHECK(outcome("unmap 0x1000\n", "load 0x1000") ==
              "fault: page-fault, 4 reads from the root, drops 3 paging-structure entries");
        CHECK(outcome("", "mov-cr3 noflush") == "fault: gp");
        CHECK(outcome("map 0x1000 size=4K ro user\nload 0x1000\nprotect 0x1000 rw user\n",
                      "store 0x1000") ==
              "miss, the cached rights refused it, 4 reads from the root, drops 2 TLB entries, "
              "3 paging-structure entries");
        CHECK(outcome("load 0x1000\nset-entry 0x1000 level=1 to=0x9000\n", "load 0x1000") ==
              "hit in the L1 TLB, stale");
    }

    TEST_CASE("exits and host entries of a nested system") {
        const Run told = run(
            "explain \"a\"\nload 0x1000\nexplain \"b\"\nvmexit\nvmentry\nhost-unmap 0x1_0000_0000\n"
            "invvpid all\n",
            exact_machine(), nested());
        REQUIRE(told.told.size() == 2);
        CHECK(told.told[0].outcome == "miss, 14 reads (4 guest, 10 host) from the root");
        // The guest's tables share a 2M region; its data is in another 1G region.
        CHECK(told.told[0].walks ==
              std::vector<Reads>{{"h4 h3 h2 h1 -> gPML4E", "h1 -> gPDPTE", "h1 -> gPDE",
                                  "h1 -> gPTE", "h3 h2 h1 -> data"}});
        CHECK(told.told[1].outcome == "VM exit");
    }

    TEST_CASE("a walk that ends in a host's entry leads to no data") {
        const Run told =
            run("map 0x1000 size=4K user to=0x7000_0000\nhost-unmap 0x7000_0000\nexplain "
                "\"a\"\nload 0x1000\n",
                walker({}), nested());
        REQUIRE(told.told.size() == 1);
        CHECK(told.told[0].outcome ==
              "VM exit: ept-violation, 24 reads (4 guest, 20 host) from the root");
        CHECK(told.told[0].walks.at(0).back() == "h4 h3 h2 h1");
    }

    TEST_CASE("reads show the flags that the walk set") {
        SystemParameters parameters;
        parameters.accessed_dirty_preset = false;
        const Run told = run("explain \"a\"\nstore 0x1000\n", walker({}), parameters);
        CHECK(told.told.at(0).walks ==
              std::vector<Reads>{{"PML4E+A", "PDPTE+A", "PDE+A", "PTE+AD"}});
    }

    TEST_CASE("of many walks the first are kept") {
        const Run told = run("explain \"a\"\nload 0 count=9 stride=4K\n", walker({}));
        CHECK(told.told.at(0).walks.size() == LastOperation::kMostWalksKept);
        CHECK(told.told.at(0).more_walks == 9 - LastOperation::kMostWalksKept);
    }

    TEST_CASE("of a repeat the first iteration is told, collapsed or not") {
        const std::string program =
            "repeat 1000 {\n"
            "  explain \"a\"\n  invlpg 0x1000\n"
            "  repeat 3 {\n    explain \"b\"\n    load 0x1000\n  }\n"
            "  explain \"c\"\n"  // the next operation is the second iteration's first
            "}\n"
            "explain \"d\"\nload 0x1000\n";
        const Run on = run(program, exact_machine());
        const Run off = run(program, exact_machine(), {}, LoopCollapse::kOff);
        CHECK(on.collapsed > 900);
        CHECK(off.collapsed == 0);
        for (const Run& each : {on, off}) {
            REQUIRE(each.told.size() == 4);
            CHECK(each.told[0].outcome == "drops nothing");
            CHECK(each.told[1].outcome == "miss, 4 reads from the root");
            CHECK(each.told[2].operation == "invlpg 0x1000");
            CHECK(each.told[2].outcome == "drops 2 TLB entries, 3 paging-structure entries");
            CHECK(each.told[2].explanation == "c");
            CHECK(each.told[3].outcome == "hit in the L1 TLB");
        }
    }

    TEST_CASE("a narrative has an end") {
        std::string program;
        for (std::size_t at = 0; at < Narrative::kMostOperations + 3; ++at) {
            program += "explain \"x\"\nmfence\n";
        }
        const Run told = native(program);
        CHECK(told.told.size() == Narrative::kMostOperations);
        CHECK(told.left_out == 3);
        std::string sentences;
        for (int at = 0; at < 5; ++at) sentences += "explain \"" + std::string(1000, 'x') + "\"\n";
        CHECK_THROWS_WITH_AS(native(sentences),
                             "trace:5:1: explain: more than 4096 bytes before one operation",
                             InputError);
    }

    TEST_CASE("exits that a hypervisor answers are told") {
        SystemParameters shadow{.paging = Paging::kShadow};
        shadow.hypervisor.kind = Hypervisor::kKvmShadow;
        const auto told = [&](const std::string& last) {
            return run("load 0x1000\nexplain \"why\"\n" + last + "\n", exact_machine(), shadow)
                .told.at(0)
                .outcome;
        };
        CHECK(told("load 0x2000").find("miss, after 1 VM exit (page-fault), ") == 0);
        CHECK(told("toggle-pge").find("2 VM exits, drops ") == 0);
        CHECK(told("protect 0x1000 ro") == "VM exit");
        const auto stored = run("map 0x1000 size=4K ro user\nexplain \"why\"\nstore 0x1000\n",
                                exact_machine(), shadow);
        CHECK(stored.told.at(0).outcome.find("VM exit, fault: page-fault, ") == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
