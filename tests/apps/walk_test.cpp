// `nestwalk walk`: the reads in the order of the manuals, what is cached after each, how it ends.
// Golden files are updated as tests/apps/program.h says.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\nmachine: exact\nsystem: {paging: nested}\n"
    "workload:\n  program: |\n"
    "    load 0x400000\n"
    "    load 0x401000\n";
const std::string kNoNestedCaches =
    " --set nested_tlb=off --set guest_physical_paging_structure_caches=off";

nlohmann::json walk(const std::string& arguments, const std::string& program = "") {
    const Workplace place;
    place.write("e.yaml",
                program.empty()
                    ? kExperiment
                    : with(kExperiment, "    load 0x400000\n    load 0x401000\n", program));
    const Finished finished = place.run("nestwalk walk e.yaml --format json " + arguments);
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return nlohmann::json::parse(finished.out);
}

std::string entries(const nlohmann::json& json) {
    std::string text;
    for (const auto& read : json["reads"]) {
        text += (text.empty() ? "" : " ") + read["entry"].get<std::string>();
    }
    return text;
}

std::string explanation(const nlohmann::json& json) {
    std::string text;
    for (const auto& line : json["result"]["explanation"]) text += line.get<std::string>() + "\n";
    return text;
}

TEST_SUITE("nestwalk walk") {
    TEST_CASE("native: four entries, root first, five with five levels") {
        CHECK(entries(walk("0x400123 --set system.paging=native")) == "PML4E PDPTE PDE PTE");
        CHECK(entries(walk("0x400123 --set system.paging=native --set system.guest.levels=5")) ==
              "PML5E PML4E PDPTE PDE PTE");
        CHECK(
            entries(walk("0x400123 --set system.paging=native --set system.guest.page_size=1G")) ==
            "PML4E PDPTE");
    }

    TEST_CASE("nested, nothing cached on the way: n(m+1)+m reads in the order of the manuals") {
        const std::string host = "EPT PML4E EPT PDPTE EPT PDE EPT PTE ";
        const nlohmann::json json = walk("0x400123" + kNoNestedCaches);
        CHECK(entries(json) + " " ==
              host + "gPML4E " + host + "gPDPTE " + host + "gPDE " + host + "gPTE " + host);
        CHECK(json["result"]["reads"]["total"] == 24);
        CHECK(json["result"]["reads"]["guest"] == 4);
        for (const auto& [levels, reads] : {std::pair{"4 5", 29}, {"5 4", 29}, {"5 5", 35}}) {
            const std::string both = levels;
            CHECK(walk("0x400123" + kNoNestedCaches + " --set system.guest.levels=" + both[0] +
                       " --set system.host.levels=" + both[2])["result"]["reads"]["total"] ==
                  reads);
        }
    }

    TEST_CASE("host entries of an NPT are named n, and say what they are read for") {
        const nlohmann::json json = walk("0x400123 --set machine=zen3");
        REQUIRE(json["reads"].size() == 24);
        CHECK(json["reads"][0]["entry"] == "nPML4E");
        CHECK(json["reads"][0]["to_find"] == "gPML4E");
        CHECK(json["reads"][0]["guest_physical"] == json["reads"][4]["guest_physical"]);
        CHECK(json["reads"][18]["to_find"] == "gPTE");
        CHECK(json["reads"][23]["to_find"] == "data");
        CHECK(json["reads"][0]["set_accessed"] == false);
    }

    TEST_CASE("a store to clear tables sets A on the way and D on the leaves") {
        const nlohmann::json json = walk(
            "0x400123 --access store --set system.accessed_dirty_preset=off"
            " --set system.host.accessed_dirty=on" +
            kNoNestedCaches);
        CHECK(json["reads"][0]["set_accessed"] == true);
        CHECK(json["reads"][0]["set_dirty"] == false);
        CHECK(json["reads"][3]["set_dirty"] ==
              true);  // where the guest's table lies: counts as written
        CHECK(json["reads"][4]["set_accessed"] == true);
        CHECK(json["reads"][19]["set_dirty"] == true);  // gPTE
        CHECK(json["reads"][23]["set_dirty"] == true);
    }

    TEST_CASE("what is cached names the array, after the read that made it possible") {
        const nlohmann::json json =
            walk("0x400123 --set machine=haswell-ep --set system.paging=native");
        CHECK(json["reads"][0]["cached"].empty());
        CHECK(json["reads"][1]["cached"][0]["array"] == "pdpte");
        CHECK(json["reads"][2]["cached"][0]["array"] == "pde");
        CHECK(json["reads"][2]["cached"][0]["covers"] == "2M");
        CHECK(json["reads"][2]["cached"][0]["host_physical"] ==
              json["reads"][2]["says"]["points_to"]);
        CHECK(json["reads"][3]["cached"][0]["array"] == "dtlb_4k");
        CHECK(json["reads"][3]["cached"][1]["array"] == "stlb");
    }

    TEST_CASE("a guest page larger than its host page is cached in fragments") {
        const nlohmann::json json = walk("0x400123 --set system.guest.page_size=2M")["result"];
        CHECK(json["page_size"] == "4K");
        CHECK(json["whole_page_size"] == "2M");
        CHECK(json["fractured"] == true);
        CHECK(walk("0x400123")["result"]["fractured"] == false);
    }

    TEST_CASE("four neighbouring pages in neighbouring frames are cached as one on Zen 3") {
        const nlohmann::json json =
            walk("0x402123 --after --set machine=zen3 --set system.paging=native",
                 "    load 0x400000 count=4 stride=4K\n    mov-cr3\n");
        const nlohmann::json& cached = json["reads"].back()["cached"][0];
        CHECK(cached["covers"] == "16K");
        CHECK(cached["address"] == "0x400000");
        CHECK(json["result"]["coalesced_pages"] == 4);
    }

    TEST_CASE("--after starts in the state that the workload leaves") {
        CHECK(walk("0x400123 --after")["result"]["outcome"] == "l1-hit");
        CHECK(walk("0x400123 --after")["reads"].empty());
        const nlohmann::json near = walk("0x402000 --after");
        CHECK(near["lookup"]["start"] == "pde");
        CHECK(near["reads"][0]["entry"] == "gPTE");
        CHECK(contains(near["reads"][1]["skipped_before"], "guest_physical_pde"));
    }

    TEST_CASE("a stale hit says so") {
        const std::string text = explanation(walk("0x400123 --after",
                                                  "    load 0x400000\n"
                                                  "    unmap 0x400000\n"));
        CHECK(contains(text, "TLB hit"));
        CHECK(contains(text, "Stale"));
    }

    TEST_CASE("a page that is not mapped: the page fault and its error code") {
        const nlohmann::json json = walk("0x400123 --access store --set system.demand=off");
        CHECK(json["result"]["outcome"] == "fault");
        CHECK(contains(explanation(json),
                       "Page fault (#PF), error code 0x6: the gPML4E is not present."));
        const std::string protect =
            "    load 0x400000\n    protect 0x400000 ro user\n    mov-cr3\n";
        CHECK(contains(explanation(walk("0x400123 --access store --after", protect)),
                       "error code 0x7: an entry on the way has R/W = 0"));
    }

    TEST_CASE("a fault met through a cached entry is confirmed from the root") {
        const nlohmann::json json =
            walk("0x400123 --after --set system.paging=native",
                 "    load 0x401000\n    load 0x400000\n    unmap 0x400000\n"
                 "    evict 0x400000\n");
        CHECK(entries(json) == "PTE PML4E PDPTE PDE PTE");
        CHECK(contains(json["reads"][1]["skipped_before"], "again from the root"));
    }

    TEST_CASE("a host page that is gone is an EPT violation, or a nested page fault") {
        const std::string unmap =
            "    map 0x400000 size=4K to=0x5000_0000 user\n    load 0x400000\n    host-unmap "
            "0x5000_0000\n"
            "    vmexit\n    invept all\n    invvpid all\n    vmentry\n";
        const nlohmann::json intel = walk("0x400123 --after", unmap);
        CHECK(intel["result"]["fault"]["kind"] == "ept-violation");
        CHECK(intel["result"]["fault"]["guest_physical"] == "0x50000123");
        CHECK(contains(
            explanation(intel),
            "EPT violation at guest-physical 0x5000_0123, a VM exit: the EPT PTE is not present."));
        const std::string amd_unmap =
            "    map 0x400000 size=4K to=0x5000_0000 user\n    load 0x400000\n"
            "    host-unmap 0x5000_0000\n    vmexit\n    vmentry tlb-control=1\n";
        CHECK(contains(explanation(walk("0x400123 --after --set machine=zen3", amd_unmap)),
                       "#VMEXIT(NPF)"));
        const std::string table =
            "    load 0x400000\n    host-unmap 0x1000_0000\n    vmexit\n    invept all\n    "
            "invvpid all\n"
            "    vmentry\n";
        const nlohmann::json on_table = walk("0x400123 --after", table);
        CHECK(on_table["reads"].back()["to_find"] == "gPML4E");
        CHECK(contains(explanation(on_table), "A paging structure of the guest is there."));
    }

    TEST_CASE("a non-canonical address is a general-protection exception, and no error") {
        const nlohmann::json json = walk("0x8000_0000_0000");
        CHECK(json["result"]["fault"]["kind"] == "gp");
        CHECK(contains(explanation(json), "With 4 levels, bits 63 to 47 must all be equal"));
        CHECK(json["reads"].empty());
    }

    TEST_CASE("every record's state can be walked from: the host, paging off, shadow tables") {
        CHECK(walk("0x400123 --after", "    vmexit\n")["where"]["software"] == "host");
        CHECK(entries(walk("0x400123 --after", "    mov-cr0 pg=0\n")) ==
              "EPT PML4E EPT PDPTE EPT PDE EPT PTE");
        CHECK(walk("0x400123 --set system.paging=shadow")["where"]["paging"] == "shadow");
    }

    TEST_CASE("the text is what the golden files hold") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const auto check = [&](const std::string& name, const std::string& arguments) {
            const Finished finished = place.run("nestwalk walk e.yaml " + arguments);
            CHECK(finished.status == 0);
            CHECK(golden_difference(name, finished.out) == "");
        };
        check("walk-nested-24.text", "0x40_0123" + kNoNestedCaches);
        check("walk-nested.text", "0x40_0123 --access store");
        check("walk-native.text", "0x40_0123 --set system.paging=native");
        check("walk-hit.text", "0x40_0123 --after");
        check("walk-fault.text", "0x40_0123 --set system.demand=off");
        check("walk-gp.text", "0x8000_0000_0000");
    }

    TEST_CASE("addresses that are none, and csv") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        for (const std::string address : {"zebra", "0x", "4KK", "-1", "1__0", "_1", "1_",
                                          "0x1_0000_0000_0000_0000", "''", "' 1'"}) {
            INFO(address);
            const Finished finished = place.run("nestwalk walk e.yaml " + address);
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
            CHECK(contains(finished.err, "expected a 64-bit number, as 0x7f00_0000_1000 or 4096"));
        }
        for (const std::string address : {"4194304", "4_194_304", "0x40_0000", "4M"}) {
            CHECK(walk(address)["access"]["address"] == "0x400000");
        }
        const Finished csv = place.run("nestwalk walk e.yaml 0 --format csv");
        CHECK(csv.status == 2);
        CHECK(csv.err ==
              "--format: a walk has no table that csv could hold: 'csv'; expected text or "
              "json\n");
        CHECK(place.run("nestwalk walk e.yaml 0 --access jump").status == 2);
    }
}

}  // namespace
}  // namespace nestwalk::test
