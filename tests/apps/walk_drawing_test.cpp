// `nestwalk walk --dot`, and the cycles of a translation in every form.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

// Machine `exact` reads entries from memory in 10 cycles each, and its STLB takes 7.
const std::string kExperiment =
    "title: t\nmachine: exact\nsystem: {paging: nested}\n"
    "workload:\n  program: |\n    load 0x400000\n    load 0x401000\n";
const std::string kNoNestedCaches =
    " --set nested_tlb=off --set guest_physical_paging_structure_caches=off";
const std::string kCaches =
    " --set 'caches={l1d: {size: 32K, ways: 8, replacement: lru},"
    " l2: {size: 1M, ways: 8, replacement: lru}}' --set timing.l2_latency=6.5";

std::string walk(const std::string& arguments) {
    const Workplace place;
    place.write("e.yaml", kExperiment);
    const Finished finished = place.run("nestwalk walk e.yaml " + arguments);
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return finished.out;
}

nlohmann::json json_of(const std::string& arguments) {
    return nlohmann::json::parse(walk(arguments + " --format json"));
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST_SUITE("drawing of a walk") {
    TEST_CASE("24 reads in rows of the host's four and the guest's one with the total on top") {
        const std::string text = walk("0x40_0123 --dot" + kNoNestedCaches);
        CHECK(contains(text,
                       "label=\"load from 0x40_0123 by user code in vm0, space s0\\n"
                       "exact, nested paging, guest 4K on host 4K\\n"
                       "start of the trace: caches empty, the page mapped on first touch\\n"
                       "cycles 247: STLB 7, reads 240\\nbold: the longest path\";\n"));
        CHECK(occurrences(text, "[label=\"EPT P") == 20);
        CHECK(occurrences(text, "[label=\"gP") == 4);
        CHECK(contains(text, "n1 [label=\"EPT PML4E[0]\\n0x1000_1000\"];\n"));
        CHECK(contains(text, "n5 [label=\"gPML4E[0]\\n0x1_0000_0000\", style=\"filled\""));
        CHECK(contains(text, "{ rank=same; \"n0\"; }\n"));
        CHECK(contains(text, "{ rank=same; \"n1\"; \"n2\"; \"n3\"; \"n4\"; \"n5\"; }\n"));
        CHECK(contains(text, "{ rank=same; \"n21\"; \"n22\"; \"n23\"; \"n24\"; \"n25\"; }\n"));
        CHECK(contains(text, "n25 [label=\"host-physical\\n0x1_0000_4123\""));
        CHECK(contains(text, "n0->n1  [label=\"STLB 7\\nmemory 10\", penwidth=\"2.5\"];\n"));
        CHECK(contains(text, "n5->n6  [label=\"memory 10\", penwidth=\"2.5\"];\n"));
        CHECK(contains(text, "n24->n25  [label=\"0\", penwidth=\"2.5\"];\n"));
        CHECK(occurrences(text, "penwidth=\"2.5\"") == 25);
        CHECK(contains(text, "n20->n25  [label=\"size, rights\", style=\"dashed\"];\n"));
        CHECK(contains(text, "n1->n6  [style=\"invis\""));  // EPT PML4E below EPT PML4E
    }

    TEST_CASE("what was found is a box of its own in its column") {
        const std::string text = walk("0x40_2000 --after --dot");
        CHECK(contains(text, "n1 [label=\"gPDE\\nin pde\", style=\"filled,rounded\""));
        CHECK(contains(text, "n3 [label=\"EPT PDE\\ncached\", style=\"filled,rounded\""));
        CHECK(contains(text, "{ rank=same; \"n3\"; \"n4\"; \"n5\"; }\n"));
        CHECK(contains(text, "cycles 27: STLB 7, reads 20\\n"));
        CHECK(contains(text, "as the workload leaves it"));
        const std::string again = walk("0x40_1000 --after --dot");
        CHECK(contains(again, "n1 [label=\"L1 TLB hit\""));
        CHECK(contains(again, "cycles 0\\n"));
        CHECK(contains(walk("0x40_1000 --after --dot --set l1_dtlb.dtlb.entries=1 --set "
                            "l1_dtlb.dtlb.ways=1 --access load"),
                       "L1 TLB hit"));
        const std::string second =
            walk("0x40_0000 --after --dot --set l1_dtlb.dtlb.entries=1 --set l1_dtlb.dtlb.ways=1");
        CHECK(contains(second, "n1 [label=\"STLB hit\""));
        CHECK(contains(second, "cycles 7: STLB 7\\n"));
    }

    TEST_CASE("a hit in the nested TLB stands where the host's leaf would") {
        const std::string text = walk("0x40_0000 --dot --set paging_structure_caches=off");
        CHECK(occurrences(text, "nested TLB hit") == 0);
        const std::string flushed = walk(
            "0x40_0000 --after --dot --set workload.program='load 0x40_0000\ninvlpg 0x40_0000\n'");
        CHECK(occurrences(flushed, "nested TLB hit") == 5);
        CHECK(contains(flushed, "{ rank=same; \"n1\"; \"n2\"; }\n"));
    }

    TEST_CASE("a native walk is one row from left to right") {
        const std::string text = walk("0x40_0000 --dot --set system.paging=native");
        CHECK(contains(text, "rankdir=\"LR\";\n"));
        CHECK_FALSE(contains(text, "rank=same"));
        CHECK(contains(text, "n4 [label=\"PTE[0]\\n"));
        CHECK(contains(text, "cycles 47: STLB 7, reads 40\\n"));
    }

    TEST_CASE("a fault is where the walk ends") {
        CHECK(contains(walk("0x40_0000 --dot --set system.demand=off"), "[label=\"page-fault\""));
    }

    TEST_CASE("without timing there are neither cycles nor bold lines") {
        const std::string text = walk("0x40_0000 --dot --set timing=off" + kNoNestedCaches);
        CHECK(contains(text, "The machine has no timing, so there are no cycles."));
        CHECK_FALSE(contains(text, "penwidth"));
        CHECK(contains(text, "n0->n1 ;\n"));
        CHECK_FALSE(contains(walk("0x40_0000 --set timing=off"), "cycles"));
        const nlohmann::json json = json_of("0x40_0000 --set timing=off");
        CHECK_FALSE(json["result"].contains("cycles"));
        CHECK_FALSE(json["reads"][0].contains("cycles"));
    }

    TEST_CASE("lines that keep their distance are drawn") {
        const std::string text =
            walk("0x40_0000 --dot --set system.paging=native --set timing.line_interval=25");
        CHECK(contains(text, "n1->n2  [label=\"memory 10\"];\n"));
        CHECK(contains(text, "n1->n2  [label=\"line interval 25\", penwidth=\"2.5\"];\n"));
        CHECK(contains(text, "cycles 92: STLB 7, reads 85\\n"));
    }

    TEST_CASE("text and JSON have the total and its parts and the cycles of each read") {
        const std::string settings =
            "0x40_0000 --access store --set system.paging=native --set timing.walk_latency=20"
            " --set timing.paging_structure_cache_latency=1.5 --set timing.accessed_dirty_latency=3"
            " --set system.accessed_dirty_preset=off";
        const std::string text = walk(settings);
        CHECK(
            contains(text, "cycles         83.5: STLB 7, walk 20, look-ups 1.5, reads 40, A/D 15"));
        const nlohmann::json json = json_of(settings);
        CHECK(json["result"]["cycles"] == nlohmann::json{{"total", 83.5},
                                                         {"stlb", 7.0},
                                                         {"walk", 20.0},
                                                         {"lookups", 1.5},
                                                         {"reads", 40.0},
                                                         {"accessed_dirty", 15.0}});
        CHECK(json["reads"][0]["cycles"] == 13.0);
        CHECK(json["reads"][3]["cycles"] == 16.0);
        CHECK_FALSE(json["reads"][0].contains("found_in"));
    }

    TEST_CASE("with caches each read says where its line was found") {
        const std::string settings = "0x40_0000 --set system.paging=native" + kCaches;
        CHECK(json_of(settings)["reads"][0]["found_in"] == "L2");  // hot from the start
        CHECK(json_of(settings)["reads"][0]["cycles"] == 6.5);
        const std::string cold = settings + " --set system.caches.start=cold";
        CHECK(json_of(cold)["reads"][0]["found_in"] == "memory");
        CHECK(contains(walk(cold), "found in  cycles\n"));
        CHECK(contains(walk(cold), "A    memory        10\n"));
        CHECK(contains(walk(cold), "no translation cached, data caches cold, the page mapped"));
        CHECK(contains(walk(settings), "no translation cached, data caches hot, the page mapped"));
        CHECK(contains(walk(settings + " --dot"), "label=\"L2 6.5\""));
        // Pages that are neighbours have their entries in one line.
        const nlohmann::json near =
            json_of("0x40_2000 --after --set system.paging=native" + kCaches);
        CHECK(near["reads"][0]["found_in"] == "L1D");
        CHECK(near["reads"][0]["cycles"] == 4.0);
    }

    TEST_CASE("the total is what a run counts for the same access") {
        const Workplace place;
        place.write("e.yaml", with(kExperiment, "    load 0x401000\n", ""));
        for (const std::string machine : {"exact", "haswell-ep", "skylake", "zen3"}) {
            CAPTURE(machine);
            const std::string set = " --format json --set machine=" + machine;
            const auto walked =
                nlohmann::json::parse(place.run("nestwalk walk e.yaml 0x400000" + set).out);
            const auto run = nlohmann::json::parse(place.run("nestwalk run e.yaml" + set).out);
            const auto& counted = run.at("whole");
            CHECK(walked["result"]["cycles"]["total"].get<double>() ==
                  counted.at("cycles.stall.walk").get<double>() +
                      counted.at("cycles.stall.stlb").get<double>());
        }
    }

    TEST_CASE("a picture of a walk has no other form") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        CHECK(place.run("nestwalk walk e.yaml 0 --dot --format text").status == 2);
        CHECK(place.run("nestwalk walk e.yaml 0 --dot").status == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
