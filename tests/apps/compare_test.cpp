// `nestwalk compare`: what differs between two results, in which order, and which are no results.
#include "apps/comparison.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::ordered_json;

const std::string kExperiment =
    "title: rounds\nmachine: haswell-ep\nset: {timing: off}\n"
    "workload:\n  program: |\n    phase \"first\"\n    load 0x400000 count=64 stride=4K\n"
    "    phase \"second\"\n    load 0x400000 count=64 stride=4K\n";
const std::string kSweep =
    kExperiment + "sweep: {system.guest.page_size: [4K, 2M], system.vcpus: [1, 2]}\n";

// Results of the experiment with 64 entries in the first level, and with 4.
Workplace& with_runs(Workplace& place) {
    place.write("e.yaml", kExperiment);
    place.run("nestwalk run e.yaml --format json > a.json");
    place.run("nestwalk run e.yaml --format json --set l1_dtlb.dtlb_4k.entries=4 > b.json");
    return place;
}

TEST_SUITE("nestwalk compare") {
    TEST_CASE("a difference is as large as its share of the larger value") {
        StatisticDifference difference{};
        const auto size = [&](StatisticValue a, StatisticValue b) {
            difference.a = a;
            difference.b = b;
            return difference.size();
        };
        CHECK(size(100, 75) == doctest::Approx(0.25));
        CHECK(size(75, 100) == doctest::Approx(0.25));
        CHECK(size(0, 1) == 1);
        CHECK(size({}, 7) == 1);
        CHECK(size({}, 0) == 1);
        CHECK(size(std::uint64_t(-1), 1) == doctest::Approx(1));
    }

    TEST_CASE("equal results are said to be equal and the status is 0") {
        Workplace place;
        with_runs(place);
        const Finished same = place.run("nestwalk compare a.json a.json");
        CHECK(same.status == 0);
        CHECK(same.out ==
              "A: a.json, a run: rounds\nB: a.json, a run: rounds\nno difference at 1 point\n");
        CHECK(place.run("nestwalk compare a.json a.json --format csv").out ==
              "phase,statistic,a,b,difference,change\n");
        const Json json =
            Json::parse(place.run("nestwalk compare a.json a.json --format json").out);
        CHECK(json["equal"] == true);
        CHECK(json["differences"].empty());
    }

    TEST_CASE("of two runs the statistics that differ are listed with the largest first") {
        Workplace place;
        with_runs(place);
        const Finished finished = place.run("nestwalk compare a.json b.json");
        CHECK(finished.status == 1);
        CHECK(finished.err.empty());
        CHECK(golden_difference("compare.text", finished.out) == "");
        // In the first level 64 entries hold all of the second round, 4 none of it.
        const std::string csv = place.run("nestwalk compare a.json b.json --format csv").out;
        CHECK(contains(csv, "\nsecond,l1.hits.load.4K,64,0,-64,-1\n"));
        CHECK(contains(csv, "\n,l1.misses.load.4K,64,128,64,1\n"));
        CHECK(csv.find("second,l1.hits") < csv.find("\n,l1.misses.load.4K"));
        const Json json =
            Json::parse(place.run("nestwalk compare a.json b.json --format json").out);
        CHECK(json["equal"] == false);
        CHECK(json["differences"].size() + 1 ==
              static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')));
        CHECK(json["differences"][0]["b"] == 0);
        const Finished few = place.run("nestwalk compare a.json b.json --rows 1");
        CHECK(contains(few.out, " more differences are no larger; --rows 0 shows all.\n"));
        CHECK(place.run("nestwalk compare a.json b.json --rows 0").out == finished.out);
    }

    TEST_CASE("a statistic of one only differs also where it is 0") {
        Workplace place;
        with_runs(place);
        place.run("sed '0,/\"walks.fetch\"/{/\"walks.fetch\"/d}' a.json > less.json");
        const Finished finished = place.run("nestwalk compare less.json a.json");
        CHECK(finished.status == 1);
        CHECK(contains(finished.out, "walks.fetch  none  0"));
    }

    TEST_CASE("points of sweeps are matched by their values in whatever order") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        place.write(
            "f.yaml",
            kExperiment + "sweep: {system.vcpus: [2, 1], system.guest.page_size: [2M, 4K]}\n");
        place.run(
            "nestwalk sweep e.yaml --output a.sqlite; nestwalk sweep f.yaml --output b.sqlite");
        const Finished same = place.run("nestwalk compare a.sqlite b.sqlite");
        CHECK(same.status == 0);
        CHECK(contains(same.out, "\nno difference at 4 points\n"));
        place.run("nestwalk sweep f.yaml --set l1_dtlb.dtlb_4k.entries=4 --output c.sqlite");
        const Finished other = place.run("nestwalk compare a.sqlite c.sqlite --format csv");
        CHECK(other.status == 1);
        // Only small pages are affected.
        CHECK(contains(other.out, "\n4K,1,second,l1.hits.load.4K,64,0,-64,-1\n"));
        CHECK(contains(other.out, "\n4K,2,second,l1.hits.load.4K,64,0,-64,-1\n"));
        CHECK_FALSE(contains(other.out, "\n2M"));
    }

    TEST_CASE("points of one only and points that one could not run are differences") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        place.run("nestwalk sweep e.yaml --set 'sweep.system.vcpus=[1, 2, 3]' --output a.sqlite");
        place.run("nestwalk sweep e.yaml --output b.sqlite");
        const Finished more = place.run("nestwalk compare a.sqlite b.sqlite");
        CHECK(more.status == 1);
        CHECK(more.out.substr(more.out.find("\nonly") + 1) ==
              "only in A: system.guest.page_size=4K, system.vcpus=3\n"
              "only in A: system.guest.page_size=2M, system.vcpus=3\n");
        CHECK(contains(place.run("nestwalk compare b.sqlite a.sqlite --format csv").out,
                       "\n2M,3,,only in B,,,,\n"));

        place.write("f.yaml", with(kSweep, "    phase \"second\"\n", "    cpu 1\n"));
        place.run("nestwalk sweep f.yaml --output c.sqlite");
        const Finished failed = place.run("nestwalk compare b.sqlite c.sqlite");
        CHECK(contains(failed.out,
                       "\nsystem.guest.page_size=4K, system.vcpus=1: done in A, failed in B\n"));
        CHECK(contains(failed.out,
                       "\nsystem.guest.page_size=4K, system.vcpus=2: phase second only in A\n"));
        CHECK(place.run("nestwalk compare c.sqlite c.sqlite").status == 0);
    }

    TEST_CASE("what cannot be compared is refused") {
        Workplace place;
        with_runs(place);
        place.write("e.yaml", kSweep);
        place.run("nestwalk sweep e.yaml --output a.sqlite");
        place.run("nestwalk sweep e.yaml --set 'sweep.stlb.ways=[8]' --output b.sqlite");
        place.write("text", "no result\n");
        place.write("list.json", "[1, 2]\n");
        place.write("other.json", "{\"whole\": {\"walks.load\": -1}, \"phases\": []}\n");
        const auto refusal = [&](const std::string& files) {
            const Finished finished = place.run("nestwalk compare " + files);
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
            return finished.err;
        };
        CHECK(refusal("a.sqlite a.json") ==
              "a.json: is a run, and a.sqlite is not; expected two of a kind\n");
        CHECK(refusal("a.json a.sqlite") ==
              "a.sqlite: is a sweep, and a.json is not; expected two of a kind\n");
        CHECK(
            refusal("a.sqlite b.sqlite") ==
            "b.sqlite: varies system.guest.page_size, system.vcpus, stlb.ways, and a.sqlite varies "
            "system.guest.page_size, system.vcpus; expected the same keys\n");
        CHECK(refusal("a.json text") ==
              "text: is neither a results file of nestwalk sweep nor a JSON result of nestwalk "
              "run\n");
        CHECK(refusal("a.json list.json") ==
              "list.json: is no JSON result of nestwalk run: it has no 'whole' or no 'phases'\n");
        CHECK(refusal("a.json other.json") ==
              "other.json: is no JSON result of nestwalk run: walks.load is no number\n");
        CHECK(refusal("a.json none.json") ==
              "none.json: cannot be opened: No such file or directory\n");
        CHECK(contains(refusal("a.json"), "B is required"));
        CHECK(contains(refusal("a.json ."), ".: cannot be read"));
    }
}

}  // namespace
}  // namespace nestwalk::test
