// Options of a machine besides its arrays: small sections of switches and words, and how many PCIDs
// an array keeps. All are keys of a machine file, settable, written back, and say where they come
// from.
#include "apps/config_path.h"
#include "apps/machine_file.h"
#include "apps/machine_schema.h"
#include "apps/open_choices.h"
#include "apps/text_file.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/apps/machine_support.h"
#include "tests/input_error.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

MachineParameters set(const std::string& name, const std::string& setting) {
    return shipped_machine(name, {setting}).parameters;
}

std::string set_error(const std::string& name, const std::string& setting) {
    return error_of([&] { shipped_machine(name, {setting}); });
}

// A machine file with these lines between its arrays and its provenance.
MachineParameters small_machine(const std::string& lines) {
    const std::string text =
        "name: small\ntitle: Small\nvendor: amd\n"
        "l1_dtlb:\n  dtlb: {pages: [4K], entries: 4, ways: full, replacement: lru}\n"
        "combined_target: host-physical\n" +
        lines + "provenance:\n  - {keys: [all], is: assumed, source: a test}\n";
    return read_machine(read_yaml(text, "m.yaml")).parameters;
}

std::string small_error(const std::string& lines) {
    return error_of([&] { small_machine(lines); });
}

std::string choices_of(const std::string& system, const std::vector<std::string>& settings,
                       const std::string& machine = "haswell-ep") {
    const std::string text =
        "machine: " + machine + "\nsystem: " + system + "\nworkload: {program: load 0x1000}\n";
    return open_choices(read_experiment(read_yaml(text, "e.yaml"), "", parse_overrides(settings)));
}

TEST_SUITE("machine options") {
    TEST_CASE("a machine that says nothing has the defaults of the models") {
        const MachineParameters machine = small_machine("");
        const MachineParameters defaults{};
        CHECK(machine.fracture == defaults.fracture);
        CHECK(machine.smash_1g == defaults.smash_1g);
        CHECK(machine.coalescing == defaults.coalescing);
        CHECK(machine.features == defaults.features);
        CHECK(machine.invalidation == defaults.invalidation);
        CHECK(machine.l1_dtlb[0].pcids_kept == kUnbounded);
    }

    TEST_CASE("every key of the small sections is read") {
        const MachineParameters machine = small_machine(
            "coalescing: four-pages\n"
            "smash_1g: {enabled: on, full_flush: on}\n"
            "features: {invpcid: off, invlpgb: off}\n"
            "invalidation: {smep_and_pae_globals: keep, page_fault_globals: keep, "
            "invpcid_address_structures: asid, amd_invlpg_structures: path, amd_smep_flushes: off, "
            "amd_efer_flushes: off, intel_efer_flushes: on, tlb_control_7_nested: on, "
            "nested_page_fault_drops: off, remote_invlpgb: at-tlbsync}\n");
        CHECK(machine.coalescing == Coalescing::kFourPages);
        CHECK(machine.smash_1g == SmashParameters{.enabled = true, .full_flush = true});
        CHECK(machine.features == Features{.invpcid = false, .invlpgb = false});
        CHECK(machine.invalidation ==
              InvalidationChoices{.smep_and_pae = ForeignGlobals::kKeep,
                                  .page_fault = ForeignGlobals::kKeep,
                                  .invpcid_address = StructureReach::kAsid,
                                  .amd_invlpg = StructureReach::kPath,
                                  .amd_smep_flushes = false,
                                  .amd_efer_flushes = false,
                                  .intel_efer_flushes = true,
                                  .tlb_control_7_nested = true,
                                  .nested_page_fault_drops = false,
                                  .remote_invlpgb = RemoteInvlpgb::kAtTlbsync});
    }

    TEST_CASE("each key can be set alone, and then has the provenance of an experiment") {
        const Machine machine = shipped_machine("exact", {"invalidation.page_fault_globals=keep"});
        CHECK(machine.parameters.invalidation ==
              InvalidationChoices{.page_fault = ForeignGlobals::kKeep});
        CHECK(entry_of(machine, "invalidation.page_fault_globals").provenance ==
              Provenance{ProvenanceKind::kSetByExperiment, "instead of drop", ""});
        CHECK(entry_of(machine, "invalidation.remote_invlpgb").provenance.kind ==
              ProvenanceKind::kAssumed);
        CHECK(set("exact", "coalescing=four-pages").coalescing == Coalescing::kFourPages);
        CHECK_FALSE(set("zen3", "features.invlpgb=off").features.invlpgb);
        CHECK(set("zen3", "smash_1g={enabled: on, full_flush: on}").smash_1g.full_flush);
        CHECK(set("zen3", "smash_1g.enabled=on").smash_1g == SmashParameters{.enabled = true});
        CHECK(set("exact", "invalidation={amd_efer_flushes: off}").invalidation ==
              InvalidationChoices{.amd_efer_flushes = false});
    }

    TEST_CASE("what is set reads back from the canonical form") {
        for (const std::string setting :
             {"coalescing=four-pages", "smash_1g.enabled=on", "features.invpcid=off",
              "invalidation.amd_invlpg_structures=pcid", "invalidation.remote_invlpgb=at-tlbsync",
              "fracture={full_flush: off, globals: off}", "l1_dtlb.dtlb.pcids_kept=0",
              "stlb.pcids_kept=4095"}) {
            CAPTURE(setting);
            const Machine machine = shipped_machine("exact", {setting});
            CHECK_FALSE(machine.parameters == shipped_machine("exact").parameters);
            CHECK(read_machine(read_yaml(write_yaml(machine_node(machine)), "again.yaml")) ==
                  machine);
        }
    }

    TEST_CASE("an array keeps all PCIDs or a number besides the current one") {
        CHECK(set("haswell-ep", "stlb.pcids_kept=3").stlb[0].pcids_kept == 3);
        CHECK(set("skylake", "stlb.pcids_kept=all").stlb[0].pcids_kept == kUnbounded);
        CHECK(entry_of(shipped_machine("haswell-ep"), "stlb.pcids_kept").value == "all");
        CHECK(contains(set_error("haswell-ep", "stlb.pcids_kept=4096"), "from 0 to 4095"));
        CHECK(set_error("haswell-ep", "stlb.pcids_kept=ale") ==
              "--set stlb.pcids_kept=ale: stlb.pcids_kept: found 'ale', expected a number of PCIDs "
              "or "
              "all, did you mean 'all'?");
        CHECK(contains(set_error("exact", "nested_tlb.nested_tlb.pcids_kept=1"),
                       "'pcids_kept' is unknown"));
    }

    TEST_CASE("a section that is off needs its first key to be on") {
        CHECK(set_error("zen3", "smash_1g.full_flush=on") ==
              "--set smash_1g.full_flush=on: smash_1g: the key 'enabled' is missing");
        CHECK(contains(small_error("fracture: {globals: on}\n"),
                       "m.yaml:7:11: fracture: the key 'full_flush' is missing"));
        CHECK(contains(small_error("features: off\n"), "features: found 'off', expected a map"));
    }

    TEST_CASE("keys and words outside the tables are errors with a suggestion") {
        CHECK(contains(set_error("exact", "features.invlpg=off"), "did you mean 'invlpgb'?"));
        CHECK(contains(set_error("exact", "invalidation.remote_invlpgb=at-sync"),
                       "found 'at-sync', expected at-issue or at-tlbsync"));
        CHECK(contains(set_error("exact", "invalidation.page_fault_globals=keeps"),
                       "did you mean 'keep'?"));
        CHECK(contains(set_error("exact", "coalescing=on"), "expected off or four-pages"));
        CHECK(contains(set_error("exact", "coalescing.x=on"),
                       "goes too deep: 'coalescing' is set as a whole"));
        CHECK(contains(small_error("invalidation: {amd_invlpg_structure: path}\n"),
                       "m.yaml:7:16: invalidation: unknown key 'amd_invlpg_structure'"));
    }

    TEST_CASE("machines have the instructions that their CPUID reports") {
        CHECK_FALSE(shipped_machine("ivy-bridge").parameters.features.invpcid);
        CHECK(shipped_machine("haswell-ep").parameters.features.invpcid);
        CHECK(shipped_machine("zen3").parameters.features == Features{});
        CHECK(shipped_machine("exact").parameters.features == Features{});
        CHECK(entry_of(shipped_machine("ivy-bridge"), "features.invpcid").provenance.kind ==
              ProvenanceKind::kDocumented);
    }

    TEST_CASE("Skylake keeps few PCIDs, and says who measured that") {
        const Machine machine = shipped_machine("skylake");
        CHECK(machine.parameters.stlb[0].pcids_kept == 3);
        for (const StructureParameters& array : machine.parameters.l1_dtlb)
            CHECK(array.pcids_kept == 0);
        CHECK(entry_of(machine, "stlb.pcids_kept").provenance.kind == ProvenanceKind::kMeasured);
        CHECK(entry_of(machine, "stlb_1g.pcids_kept").provenance.kind == ProvenanceKind::kAssumed);
    }

    TEST_CASE("Zen 3 coalesces, choices of the files are the defaults") {
        CHECK(shipped_machine("zen3").parameters.coalescing == Coalescing::kFourPages);
        for (const std::string& name : machine_names()) {
            CAPTURE(name);
            CHECK(shipped_machine(name).parameters.invalidation == InvalidationChoices{});
        }
    }
}

TEST_SUITE("open choices") {
    TEST_CASE("a result names the fracture choices where they can matter") {
        const std::string all =
            "fracture.full_flush=on, fracture.model=sticky, "
            "fracture.scope=current-context, fracture.globals=on, "
            "fracture.invpcid=off, fracture.invvpid=off";
        CHECK(choices_of("{paging: nested}", {}) == all);
        CHECK(choices_of("{paging: native}", {}).empty());
        CHECK(choices_of("{paging: shadow}", {}).empty());
        CHECK(choices_of("{paging: nested}", {}, "zen3").empty());
        CHECK(choices_of("{paging: nested}", {"fracture.full_flush=off"}).empty());
    }

    TEST_CASE("and those of invalidation that are not the defaults") {
        CHECK(choices_of("{}", {"invalidation.page_fault_globals=keep",
                                "invalidation.amd_smep_flushes=on"}) ==
              "invalidation.page_fault_globals=keep");
    }

    TEST_CASE("the list of choices explains every key that answers an open question") {
        const std::string manual = read_text_file(NESTWALK_SOURCE_DIR "/docs/choices.md");
        for (const std::string_view section : {"fracture", "invalidation"}) {
            for (const ChoiceKey& key : find_choice_section(section)->keys) {
                CAPTURE(key.key);
                CHECK(contains(manual, "`" + std::string(section) + "." + std::string(key.key)));
            }
        }
    }
}

}  // namespace
}  // namespace nestwalk
