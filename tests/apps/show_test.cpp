// `nestwalk show`: machines, every value of one, resolved experiments.
#include "apps/config_path.h"
#include "models/hypervisor_policy.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\nmachine: haswell-ep\nworkload:\n  program: |\n    load 0x1000 # a comment\n";

TEST_SUITE("nestwalk show") {
    TEST_CASE("machines: name, title and geometry of every known one") {
        const Workplace place;
        const std::string text = place.run("nestwalk show machines").out;
        const auto json =
            nlohmann::json::parse(place.run("nestwalk show machines --format json").out);
        CHECK(json.size() == machine_names().size());
        for (const auto& machine : json) {
            CHECK(contains(text, machine["name"].get<std::string>()));
            CHECK(contains(text, machine["title"].get<std::string>()));
            CHECK(contains(text, machine["geometry"].get<std::string>()));
        }
        CHECK(contains(text, "dTLB 64x4K + 32x2M + 4x1G"));
    }

    TEST_CASE("a machine: every value has a kind and a source, and the kinds are counted") {
        const Workplace place;
        for (const std::string& name : machine_names()) {
            const auto json =
                nlohmann::json::parse(place.run("nestwalk show machine --format json " + name).out);
            std::size_t counted = 0;
            for (const auto& [kind, count] : json["provenance"].items())
                counted += count.get<std::size_t>();
            CHECK(counted == json["values"].size());
            for (const auto& value : json["values"])
                CHECK(!value["source"].get<std::string>().empty());
            const std::string text = place.run("nestwalk show machine " + name).out;
            CHECK(contains(text, std::to_string(counted) + " values: "));
            CHECK(contains(text, "\nSources\n[1] "));
        }
    }

    TEST_CASE("a machine as --set changes it says what was set") {
        const Workplace place;
        const std::string text =
            place.run("nestwalk show machine haswell-ep --set stlb.entries=512").out;
        CHECK(contains(text, "1 set by experiment"));
        CHECK(contains(text, "instead of 1024"));
    }

    TEST_CASE("a machine that nobody knows") {
        const Workplace place;
        const Finished finished = place.run("nestwalk show machine haswel-ep");
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        CHECK(contains(finished.err, "unknown machine 'haswel-ep'"));
        CHECK(contains(finished.err, "did you mean 'haswell-ep'?"));
        CHECK(place.run("nestwalk show machine ./none.yaml").status == 2);
    }

    TEST_CASE("an experiment: resolved, and it resolves to itself") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        const Finished first =
            place.run("nestwalk show experiment e.yaml --set system.guest.levels=5");
        CHECK(first.status == 0);
        CHECK(contains(first.out, "guest: {levels: 5, page_size: 4K"));
        CHECK(contains(first.out, "load 0x1000 # a comment"));
        place.write("r.yaml", first.out);
        CHECK(place.run("nestwalk show experiment r.yaml").out == first.out);
        const auto json =
            nlohmann::json::parse(place.run("nestwalk show experiment e.yaml --format json").out);
        CHECK(json["system"]["paging"] == "native");
        CHECK(json["machine"]["name"] == "haswell-ep");
    }

    TEST_CASE("hypervisors: the table, one of them with its sources, and both for programs") {
        const Workplace place;
        const std::string all = place.run("nestwalk show hypervisors").out;
        CHECK(contains(all, "CR4.PGE "));
        CHECK(contains(all, "yes: INVVPID 0 (shadow_invlpg)"));
        const std::string one = place.run("nestwalk show hypervisor kvm-npt").out;
        CHECK(contains(one, "kvm-npt, AMD\n"));
        CHECK(contains(one, "init_vmcb, kvm_post_set_cr4"));
        CHECK(contains(place.run("nestwalk show hypervisor xen-pv-shim").out,
                       "its outer hypervisor is xen-hap"));
        CHECK(place.run("nestwalk show hypervisor none").out == "none: nothing exits by policy\n");
        const auto rules =
            nlohmann::json::parse(place.run("nestwalk show hypervisors --format json").out);
        CHECK(rules.size() == hypervisor_columns().size() * kGuestActions);
        const auto ept =
            nlohmann::json::parse(place.run("nestwalk show hypervisor kvm-ept --format json").out);
        REQUIRE(ept.size() == kGuestActions);
        CHECK(ept[0]["operation"] == "MOV CR3");
        CHECK(ept[0]["exits"] == "no");
        CHECK(ept[0]["flush"] == "-");
        const Finished unknown = place.run("nestwalk show hypervisor kvm");
        CHECK(unknown.status == 2);
        CHECK(contains(unknown.err, "show hypervisor: found 'kvm', expected none, kvm-ept"));
    }

    TEST_CASE("no csv") {
        const Workplace place;
        const Finished finished = place.run("nestwalk show machines --format csv");
        CHECK(finished.status == 2);
        CHECK(finished.err ==
              "--format: show has no table that csv could hold: 'csv'; expected text or "
              "json\n");
    }
}

}  // namespace
}  // namespace nestwalk::test
