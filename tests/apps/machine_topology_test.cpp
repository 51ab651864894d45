// `nestwalk show machine NAME --dot`, and machine files whose parts do not hang together.
#include "apps/config_override.h"
#include "apps/config_path.h"
#include "apps/machine_drawing.h"
#include "apps/machine_file.h"
#include "apps/yaml_reader.h"
#include "sim/topology.h"
#include "tests/apps/machine_support.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kHead =
    "name: small\ntitle: Small\nvendor: intel\n"
    "l1_dtlb:\n  dtlb: {pages: [4K], entries: 64, ways: 4, index: linear, replacement: lru}\n";
const std::string kTail =
    "combined_target: host-physical\nfracture: off\n"
    "provenance:\n  - {keys: [all], is: assumed, source: a test}\n";

std::string error_in(const std::string& sections) {
    return error_of([&] { read_machine(read_yaml(kHead + sections + kTail, "m.yaml")); });
}

/// True if the canonical document of the machine has the key.
bool names_a_setting(const ConfigNode& document, const std::string& key) {
    const ConfigNode* node = &document;
    for (const std::string& part : split_key(key, {}))
        if (node != nullptr) node = node->find(part);
    return node != nullptr;
}

TEST_SUITE("machine topology") {
    TEST_CASE("every machine that is known hangs together, and its parts are named by their keys") {
        for (const std::string& name : machine_names()) {
            const Machine machine = shipped_machine(name);
            const ConfigNode document = parameters_node(machine);
            for (const MachinePart& part : topology_of(machine.parameters).parts) {
                const bool has_key = !std::holds_alternative<std::monostate>(part.geometry);
                CHECK_MESSAGE(names_a_setting(document, part.key) == has_key, name, ": ", part.key);
            }
        }
    }

    TEST_CASE("an STLB that holds no pages is an error at its place") {
        CHECK(error_in("stlb: {paging_structures: [pde], entries: 64, ways: full, replacement: lru}"
                       "\n") ==
              "m.yaml:6:7: stlb: a second-level TLB is asked for pages, and this one holds none");
        CHECK(error_in("stlb: {pages: [2M], paging_structures: [pde], entries: 64, ways: full, "
                       "replacement: lru}\n") == "no error");
    }

    TEST_CASE("an L2 or L3 without an L1D is an error at its place") {
        const std::string caches =
            "caches:\n  l1i: {size: 32K, ways: 8, replacement: lru}\n"
            "  l3: {size: 2M, ways: 16, replacement: lru}\n";
        CHECK(error_in(caches) ==
              "m.yaml:8:7: caches.l3: is asked through the L1D, and the machine has none");
        CHECK(error_in(caches + "  l1d: {size: 32K, ways: 8, replacement: lru}\n") == "no error");
    }

    TEST_CASE("what --set takes away is an error of --set") {
        CHECK(
            error_of([] { shipped_machine("zen3", {"stlb.pages=[]"}); }) ==
            "--set stlb.pages=[]: stlb.pages: a second-level TLB is asked for pages, and this one "
            "holds none");
    }

    TEST_CASE("a drawing has a box with its geometry for each structure, in its group") {
        const Workplace place;
        const Finished finished = place.run("nestwalk show machine haswell-ep --dot");
        CHECK(finished.status == 0);
        CHECK(finished.err.empty());
        const std::string& text = finished.out;
        CHECK(contains(text, "label=\"haswell-ep: Intel Haswell-EP (Xeon E5 v3)\\n"));
        CHECK(contains(text,
                       "\nstlb [label=\"stlb\\n4K, 2M\\n1024 entries\\n128 sets of 8 ways\\n"
                       "tree-plru\"];\n"));
        CHECK(contains(text,
                       "\"paging_structure_caches.pde\" [label=\"paging_structure_caches.\\npde\\n"
                       "pde\\n32 entries\\nfully associative\\nlru\"];\n"));
        CHECK(contains(text, "\"l1_dtlb.dtlb_4k\"->stlb  [label=\"4K\"];\n"));
        CHECK(contains(text, "stlb->\"page walker\" ;\n"));
        CHECK(contains(text,
                       "subgraph \"cluster_both\" {\n  label=\"both sides\";\n  labeljust=\"l\";\n"
                       "  style=\"rounded\";\n  \"stlb\";\n}\n"));
        for (const std::string group : {"data", "instruction", "walker", "memory"})
            CHECK(contains(text, "\"cluster_" + group + "\""));
    }

    TEST_CASE("what --set changes is drawn") {
        const Workplace place;
        const std::string text =
            place.run("nestwalk show machine skylake --dot --set stlb.entries=768").out;
        CHECK(contains(text, "768 entries\\n64 sets of 12 ways\\nmru3-plru4, xor-fold"));
    }

    TEST_CASE("parts that are one array are joined, once each, and nested paging is dashed") {
        const std::string text = machine_dot(shipped_machine("zen3").parameters);
        const std::string joined =
            " [label=\"the same array\", style=\"dotted\", dir=\"none\", constraint=\"false\"];\n";
        CHECK(contains(text, "stlb->\"stlb.paging_structures\" " + joined));
        CHECK(contains(text, "stlb->\"stlb.nested\" " + joined));
        CHECK_FALSE(contains(text, "\"stlb.paging_structures\"->\"stlb.nested\" " + joined));
        CHECK(contains(text, "\"stlb.paging_structures\"->\"stlb.nested\"  [style=\"dashed\"];\n"));
    }

    TEST_CASE("ways that a size may occupy and unbounded arrays are drawn as such") {
        const std::string limited =
            machine_dot(shipped_machine("zen3", {"stlb.pages={4K: all, 2M: [0, 8]}"}).parameters);
        CHECK(contains(limited, "stlb\\n4K, 2M in ways 0 to 7\\n2048 entries"));
        CHECK(contains(machine_dot(shipped_machine("exact").parameters),
                       "[label=\"stlb\\n4K, 2M, 1G\\nunbounded\"]"));
    }

    TEST_CASE("caches are drawn by their size, in lines, sets and ways") {
        MachineParameters machine = shipped_machine("exact").parameters;
        machine.caches = {.l1d = {.bytes = 48 << 10, .ways = 12}, .l2 = {.bytes = 2 << 20}};
        const std::string text = machine_dot(machine);
        CHECK(
            contains(text, "[label=\"caches.l1d\\n48K\\n768 lines\\n64 sets of 12 ways\\nlru\"]"));
        CHECK(contains(text, "[label=\"caches.l2\\n2M\\n32768 lines\\nfully associative\\nlru\"]"));
        CHECK(contains(text, "\"caches.l1d\"->\"caches.l2\" ;\n"));
    }

    TEST_CASE("a picture has no other form") {
        const Workplace place;
        CHECK(place.run("nestwalk show machine exact --dot --format json").status == 2);
        CHECK(place.run("nestwalk show machines --dot").status == 2);
        CHECK(place.run("nestwalk show machine exact --dot").status == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
