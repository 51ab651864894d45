// The machine files that come with nestwalk, and what overrides make of them.
#include "apps/config_path.h"
#include "apps/machine_file.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/apps/machine_support.h"
#include "tests/input_error.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::string set_error(const std::string& name, const std::vector<std::string>& settings) {
    return error_of([&] { shipped_machine(name, settings); });
}

TEST_SUITE("machine files") {
    TEST_CASE("every machine loads, is named as its file, and says where each value comes from") {
        std::vector<std::string> names = machine_names();
        for (const char* expected : {"exact", "haswell-ep", "ivy-bridge", "skylake", "zen3"})
            CHECK(std::count(names.begin(), names.end(), expected) == 1);
        for (const std::string& name : names) {
            CAPTURE(name);
            const Machine machine = shipped_machine(name);
            CHECK(machine.parameters.name == name);
            CHECK(machine.provenance.size() > 20);
            for (const ProvenanceEntry& value : machine.provenance) {
                CHECK_FALSE(value.provenance.source.empty());
                CHECK(value.provenance.kind != ProvenanceKind::kSetByExperiment);
            }
        }
    }

    TEST_CASE("every machine reads back from its own canonical form") {
        for (const std::string& name : machine_names()) {
            CAPTURE(name);
            const Machine machine = shipped_machine(name);
            const std::string text = write_yaml(machine_node(machine));
            CHECK(read_machine(read_yaml(text, "again.yaml")) == machine);
        }
    }

    TEST_CASE("Haswell-EP has the arrays of its CPUID dump") {
        const MachineParameters machine = shipped_machine("haswell-ep").parameters;
        REQUIRE(machine.stlb.size() == 1);
        CHECK(machine.stlb[0] ==
              StructureParameters{.name = "stlb",
                                  .entries = 1024,
                                  .ways = 8,
                                  .index = IndexHash::kLinear,
                                  .replacement = ReplacementPolicy::kTreePlru,
                                  .holds = {{MappingClass::kTranslation, 1, {}},
                                            {MappingClass::kTranslation, 2, {}}}});
        REQUIRE(machine.l1_dtlb.size() == 3);
        CHECK(machine.l1_dtlb[2].name == "dtlb_1g");
        CHECK(machine.nested_tlb.empty());
        CHECK(machine.paging_structure_caches.size() == 2);
        CHECK(machine.nested_paging_structure_caches.size() == 2);
        CHECK(machine.fracture == FractureParameters{true, FractureModel::kSticky,
                                                     FractureScope::kCurrentContext, true, false,
                                                     false});
    }

    TEST_CASE("Zen 3 keeps PDEs and nested translations in its second-level dTLB") {
        const MachineParameters machine = shipped_machine("zen3").parameters;
        REQUIRE(machine.stlb.size() == 2);
        const std::vector<Holding> held{{MappingClass::kTranslation, 1, {}},
                                        {MappingClass::kTranslation, 2, {}},
                                        {MappingClass::kPagingStructure, 2, {}},
                                        {MappingClass::kNestedTranslation, 1, {}},
                                        {MappingClass::kNestedTranslation, 2, {}}};
        CHECK(machine.stlb[0].holds == held);
        CHECK(machine.combined_target == CombinedTarget::kGuestPhysical);
        CHECK(machine.fracture == FractureParameters{});
    }

    TEST_CASE("the exact machine is unbounded everywhere") {
        const MachineParameters machine = shipped_machine("exact").parameters;
        for (const auto* arrays :
             {&machine.l1_dtlb, &machine.l1_itlb, &machine.stlb, &machine.paging_structure_caches,
              &machine.nested_tlb, &machine.nested_paging_structure_caches}) {
            REQUIRE_FALSE(arrays->empty());
            for (const StructureParameters& array : *arrays) CHECK(array.entries == kUnbounded);
        }
        CHECK(machine.paging_structure_caches.size() == 4);
    }

    TEST_CASE("an override changes one value and its provenance") {
        const Machine machine = shipped_machine("haswell-ep", {"stlb.entries=2K"});
        CHECK(machine.parameters.stlb[0].entries == 2048);
        CHECK(entry_of(machine, "stlb.entries").value == "2048");
        CHECK(entry_of(machine, "stlb.entries").provenance ==
              Provenance{ProvenanceKind::kSetByExperiment, "instead of 1024", ""});
        CHECK(entry_of(machine, "stlb.ways").provenance.kind == ProvenanceKind::kDocumented);
        CHECK(entry_of(machine, "stlb.index").provenance.kind == ProvenanceKind::kAssumed);
    }

    TEST_CASE("an override that changes nothing leaves the provenance") {
        CHECK(shipped_machine("haswell-ep", {"stlb.entries=0x400"}) ==
              shipped_machine("haswell-ep"));
    }

    TEST_CASE("the last override of a key wins") {
        const Machine machine = shipped_machine("haswell-ep", {"stlb.ways=4", "stlb.ways=16"});
        CHECK(machine.parameters.stlb[0].ways == 16);
    }

    TEST_CASE("off and 0 remove a section or an array") {
        CHECK(shipped_machine("haswell-ep", {"paging_structure_caches=off"})
                  .parameters.paging_structure_caches.empty());
        CHECK(shipped_machine("exact", {"nested_tlb=off"}).parameters.nested_tlb.empty());
        CHECK(shipped_machine("haswell-ep", {"stlb=off"}).parameters.stlb.empty());
        for (const char* setting :
             {"l1_dtlb.dtlb_1g=off", "l1_dtlb.dtlb_1g.entries=0", "l1_dtlb.dtlb_1g.entries=off"})
            CHECK(shipped_machine("haswell-ep", {setting}).parameters.l1_dtlb.size() == 2);
        const Machine none = shipped_machine("skylake", {"stlb.entries=off"});
        REQUIRE(none.parameters.stlb.size() == 1);
        CHECK(none.parameters.stlb[0].name == "stlb_1g");
        CHECK(entry_of(none, "stlb").provenance.kind == ProvenanceKind::kSetByExperiment);
    }

    TEST_CASE("unbounded makes ways and index meaningless") {
        const MachineParameters machine =
            shipped_machine("skylake", {"stlb.entries=unbounded"}).parameters;
        CHECK(machine.stlb[0].entries == kUnbounded);
        CHECK(machine.stlb[0].ways == 0);
    }

    TEST_CASE("keys that the machine file does not mention can be set") {
        const MachineParameters with_1g =
            shipped_machine("haswell-ep",
                            {"stlb_1g={pages: [1G], entries: 16, ways: full, replacement: lru}"})
                .parameters;
        REQUIRE(with_1g.stlb.size() == 2);
        CHECK(with_1g.stlb[1].name == "stlb_1g");
        const MachineParameters random =
            shipped_machine("haswell-ep", {"stlb.replacement=random", "stlb.seed=7"}).parameters;
        CHECK(random.stlb[0].seed == 7);
        const MachineParameters fractured =
            shipped_machine("zen3", {"fracture.full_flush=on"}).parameters;
        CHECK(fractured.fracture.full_flush);
        CHECK(fractured.fracture.globals);
    }

    TEST_CASE("a map changes the keys it names, and adds a whole array") {
        const MachineParameters machine =
            shipped_machine("haswell-ep",
                            {"stlb={entries: 512, ways: 4}",
                             "paging_structure_caches={pml4e: {levels: [pml4e], entries: 2, "
                             "ways: full, replacement: lru}}"})
                .parameters;
        CHECK(machine.stlb[0].entries == 512);
        CHECK(machine.stlb[0].holds.size() == 2);
        CHECK(machine.paging_structure_caches.size() == 3);
    }

    TEST_CASE("sizes can be limited to some ways") {
        const MachineParameters machine =
            shipped_machine("haswell-ep", {"stlb.pages={4K: all, 2M: [0, 4]}"}).parameters;
        CHECK(machine.stlb[0].holds[1].ways == WayRange{0, 4});
        CHECK(contains(set_error("haswell-ep", {"stlb.pages={4K: all, 2M: [4, 5]}"}),
                       "stlb: ways 4 to 8 are more than there are, this array has 8"));
    }

    TEST_CASE("a key outside the schema is an error that names the override") {
        CHECK(contains(set_error("haswell-ep", {"stlb.entrys=5"}),
                       "--set stlb.entrys=5: 'stlb.entrys' is no setting of a machine: 'entrys' is "
                       "unknown; expected pages"));
        CHECK(contains(set_error("haswell-ep", {"stbl.entries=5"}), "did you mean 'stlb'?"));
        CHECK(contains(set_error("haswell-ep", {"sytem.paging=native"}), "did you mean 'system'?"));
        CHECK(contains(set_error("haswell-ep", {"fracture.global=on"}), "did you mean 'globals'?"));
        CHECK(contains(set_error("haswell-ep", {"stlb.pages.4K=all"}),
                       "goes too deep: 'stlb.pages' is set as a whole"));
        for (const char* array : {"l1_dtlb.dtlb_4kk.entries=5", "l1_dtlb.dtlb_4kk=off"})
            CHECK(contains(set_error("haswell-ep", {array}),
                           "the machine has no array 'l1_dtlb.dtlb_4kk'; it has dtlb_4k, dtlb_2m "
                           "or dtlb_1g, did you mean 'dtlb_4k'?"));
        CHECK(contains(set_error("haswell-ep", {"nested_tlb.x.entries=5"}), "its section is off"));
        CHECK(contains(set_error("haswell-ep", {"name=x"}), "'name' is unknown"));
        CHECK(contains(set_error("haswell-ep", {"provenance=off"}), "is unknown"));
    }

    TEST_CASE("a value is checked as in the file, and the error names the override") {
        CHECK(set_error("haswell-ep", {"stlb.entries=-5"}) ==
              "--set stlb.entries=-5: stlb.entries: found '-5', expected an unsigned whole "
              "number such as "
              "64, 0x40 or 4K, from 0 to 1048576");
        CHECK(contains(set_error("skylake", {"stlb.entries=1024"}),
                       "stlb.ways: 1024 entries cannot be divided into sets of 12 ways"));
        CHECK(contains(set_error("haswell-ep", {"stlb=5"}),
                       "--set stlb=5: stlb: found '5', expected"));
    }

    TEST_CASE("malformed KEY=VALUE is refused") {
        for (const char* bad : {"", "=", "=5", "stlb.entries"})
            CHECK(contains(error_of([&] { parse_override(bad); }), "expected KEY=VALUE"));
        for (const char* bad : {".=1", "a..b=1", "stlb.=1", ".stlb=1"})
            CHECK(contains(error_of([&] { parse_override(bad); }), "has an empty part"));
        CHECK(contains(error_of([&] { parse_override("a.b.c.d.e.f.g.h.i=1"); }),
                       "more than 8 parts"));
        CHECK(
            contains(error_of([&] { parse_override("stlb.pages=[4K"); }), "--set stlb.pages=[4K:"));
        CHECK(contains(error_of([&] { parse_override("title=\xff"); }), "expected UTF-8"));
    }
}

TEST_SUITE("machine lookup") {
    TEST_CASE("an unknown name lists the known ones and suggests one") {
        const std::string error = error_of([] {
            find_machine("haswel-ep", "", {"e.yaml", 2, 10});
        });
        CHECK(contains(error, "e.yaml:2:10: unknown machine 'haswel-ep'; expected "));
        CHECK(contains(error, "or the path of a .yaml file, did you mean 'haswell-ep'?"));
        CHECK(contains(error, "skylake"));
    }

    TEST_CASE("odd names are unknown, not paths") {
        for (const std::string& name :
             {std::string(), std::string("../machines/zen3"), std::string("/etc/passwd"),
              std::string("."), std::string(100'000, 'x'), std::string("a\0b", 3),
              std::string("%n%s")})
            CHECK(contains(error_of([&] {
                               find_machine(name, "", {"e.yaml", 1, 1});
                           }),
                           "unknown machine"));
    }

    TEST_CASE("a path is taken from its base") {
        CHECK(find_machine("m.yaml", "/a/b", {}) == "/a/b/m.yaml");
        CHECK(find_machine("../m.yaml", "/a/b", {}) == "/a/m.yaml");
        CHECK(find_machine("/m.yaml", "/a/b", {}) == "/m.yaml");
    }

    TEST_CASE("the directory in NESTWALK_CONFIGS comes first, and may be missing") {
        REQUIRE(setenv("NESTWALK_CONFIGS", "/nonexistent", 1) == 0);
        CHECK(config_directories().front() == "/nonexistent");
        CHECK(contains(find_machine("zen3", "", {}), "machines/zen3.yaml"));
        REQUIRE(unsetenv("NESTWALK_CONFIGS") == 0);
    }
}

}  // namespace
}  // namespace nestwalk
