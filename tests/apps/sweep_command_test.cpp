// `nestwalk sweep` as a whole: what it prints and stores, shards, points that fail.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::ordered_json;

// Two rounds over eight small pages, which are one where pages are large.
const std::string kSweep =
    "title: rounds\nmachine: haswell-ep\n"
    "workload:\n  program: |\n    phase \"cold\"\n    load 0x400000 count=8 stride=4K\n"
    "    phase \"again\"\n    load 0x400000 count=8 stride=4K\n"
    "sweep:\n"
    "  system.guest.page_size: [4K, 2M]\n"
    "  stlb.entries: [512, 1024]\n"
    "  system.vcpus: [1, 2]\n";

TEST_SUITE("nestwalk sweep") {
    TEST_CASE("the table has a row a point with the varied values and a few statistics") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        const Finished finished = place.run("nestwalk sweep e.yaml -j 2");
        CHECK(finished.status == 0);
        CHECK(finished.err.empty());
        CHECK(golden_difference("sweep.text", finished.out) == "");
        CHECK(place.run("ls").out == "e.yaml\n");
    }

    TEST_CASE("columns are statistics or groups of them and a phase may be chosen") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        place.run("nestwalk sweep e.yaml --output r.sqlite");
        const Finished shown = place.run(
            "nestwalk sweep --show r.sqlite --columns references,stlb.misses,l1.hit --phase again "
            "| grep '^4K *512 *1 '");
        // In the second round every page is in the first level.
        CHECK(shown.out ==
              "4K                      512           1                      8            0       "
              "8\n");
        CHECK(place.run("nestwalk sweep --show r.sqlite --columns walks,wlks").err ==
              "--columns: unknown statistic: 'wlks'; expected a name that --format json lists, or "
              "its first words, as in stlb.misses\n");
        CHECK(contains(place.run("nestwalk sweep --show r.sqlite --phase third").out,
                       "\n\nNo point has a phase 'third'.\n"));
        // What can be known before anything runs is.
        CHECK(place.run("nestwalk sweep e.yaml --columns wlks --output s.sqlite").status == 2);
        CHECK_FALSE(place.has("s.sqlite"));
        CHECK(contains(place.run("nestwalk sweep --show r.sqlite --format csv --columns walks").err,
                       "json and csv have all"));
    }

    TEST_CASE("each point's statistics are those of nestwalk run with the same values") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        const Json sweep = Json::parse(place.run("nestwalk sweep e.yaml --format json").out);
        REQUIRE(sweep["points"].size() == 8);
        for (const Json& point : sweep["points"]) {
            std::string set;
            for (const auto& [key, value] : point["values"].items())
                set += " --set " + key + "=" +
                       (value.is_string() ? value.get<std::string>() : value.dump());
            CAPTURE(set);
            const Json run = Json::parse(place.run("nestwalk run e.yaml --format json" + set).out);
            CHECK(point["whole"] == run["whole"]);
            CHECK(point["phases"] == run["phases"]);
            // What not every run has is in no run's but in the sweep's.
            for (const auto& [name, meaning] : run["legend"].items())
                CHECK(sweep["legend"][name] == meaning);
        }
        CHECK(sweep["sweep"]["stlb.entries"] == Json{512, 1024});
        CHECK(sweep["experiment"]["title"] == "rounds");
        CHECK_FALSE(sweep["experiment"].contains("sweep"));
    }

    TEST_CASE("CSV has a row for the whole and each phase of a point and every statistic by name") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        const std::string csv =
            place.run("nestwalk sweep e.yaml --format csv > c; cut -d, -f1,2,5-9 c").out;
        CHECK(csv.starts_with(
            "point,status,system.guest.page_size,stlb.entries,system.vcpus,phase,references.load\n"
            "1,done,4K,512,1,,16\n1,done,4K,512,1,cold,8\n1,done,4K,512,1,again,8\n"
            "2,done,4K,512,2,,16\n"));
        CHECK(place.run("wc -l < c").out == "25\n");
        CHECK(place.run("awk -F, '{print NF}' c | sort -u | wc -l").out == "1\n");
    }

    TEST_CASE("both engines give the same counts and the engine is part of what a sweep is") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        place.run("nestwalk sweep e.yaml --output a.sqlite");
        const Finished cycle = place.run("nestwalk sweep e.yaml --engine cycle --output b.sqlite");
        CHECK(cycle.status == 0);
        CHECK(place.run("nestwalk sweep --show a.sqlite").out ==
              place.run("nestwalk sweep --show b.sqlite").out);
        CHECK(place.run("nestwalk sweep e.yaml --resume --output b.sqlite").err ==
              "b.sqlite: was made with --engine cycle, not replay; it cannot be resumed\n");
    }

    TEST_CASE("points that cannot be are named and stored and the others run") {
        const Workplace place;
        place.write("e.yaml", with(kSweep, "[512, 1024]", "[512, 1000]"));
        const Finished finished = place.run("nestwalk sweep e.yaml --output r.sqlite -j 2");
        CHECK(finished.status == 2);
        CHECK(finished.err.starts_with(
            "note: 4 of 8 points cannot be; the first: e.yaml:11:23: stlb.entries: 1000 entries in "
            "sets of 8 ways make 125 sets"));
        CHECK(contains(finished.err,
                       "\npoint 3 (system.guest.page_size=4K, stlb.entries=1000, system.vcpus=1): "
                       "failed: e.yaml:11:23: stlb.entries: 1000 entries"));
        CHECK(contains(finished.out, "4K                      1000          1"));
        CHECK(place.run("grep -c done t; grep -c failed t").status == 2);
        place.run("nestwalk sweep --show r.sqlite > t");
        CHECK(place.run("grep -c ' done$' t; grep -c ' failed$' t").out == "4\n4\n");
        const Finished again = place.run("nestwalk sweep e.yaml --output r.sqlite --resume");
        CHECK(again.status == 2);
        CHECK(again.out == finished.out);
    }

    TEST_CASE("a workload that makes no sense at some points fails there") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: exact\nworkload:\n  program: |\n    cpu 1\n    load 0x1000\n"
                    "sweep: {system.vcpus: [1, 2]}\n");
        const Finished finished = place.run("nestwalk sweep e.yaml");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err, "point 1 (system.vcpus=1): failed: e.yaml:4:"));
        CHECK_FALSE(contains(finished.err, "point 2"));
    }

    TEST_CASE("a statistic that a results file cannot hold fails its point") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: exact\nset: {timing: off}\nworkload:\n  program: |\n    load 0x1000\n"
                    "    repeat 10000000000 {\n      repeat 1000000000 {\n        load 0x1000\n"
                    "      }\n    }\nsweep: {system.vcpus: [1]}\n");
        CHECK(contains(place.run("nestwalk sweep e.yaml").err,
                       "point 1 (system.vcpus=1): failed: the statistic references.load is "
                       "10000000000000000001, more than the 9223372036854775807"));
    }

    TEST_CASE("a trace in a file may be swept over and standard input may not") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: exact\nworkload: {trace: a}\nsweep: {workload.trace: [a, b]}\n");
        place.write("a", "load 0x1000\n");
        place.write("b", "load 0x1000 count=3 stride=4K\n");
        const Finished finished = place.run("nestwalk sweep e.yaml --columns references");
        CHECK(finished.status == 0);
        CHECK(contains(finished.out, "\na                        1\nb                        3\n"));
        CHECK(place
                  .run("nestwalk sweep e.yaml --set 'sweep={system.vcpus: [1]}' --set "
                       "workload.trace=- < a")
                  .err ==
              "--set workload.trace=-: workload.trace: standard input can be read once "
              "only, expected a file: a sweep reads its trace again for every point\n");
    }

    TEST_CASE("what is no sweep ends at once and leaves no file") {
        const Workplace place;
        std::string many = "[0";
        for (int at = 1; at < 1001; ++at) many += ", " + std::to_string(at);
        many += "]";
        const std::string experiment = kSweep.substr(0, kSweep.find("sweep:"));
        const std::vector<std::pair<std::string, std::string>> cases{
            {"", "e.yaml: the experiment has no sweep; expected one such as"},
            {"sweep: {}", "e.yaml:9:8: sweep: has no keys"},
            {"sweep: {stlb.entries: []}", "e.yaml:9:23: sweep.stlb.entries: the list is empty"},
            {"sweep: {stlb.entrees: [512]}",
             "e.yaml:9:9: 'stlb.entrees' is no setting of a machine"},
            {"sweep: {system.vcpus: [1, two]}", "e.yaml:9:27: system.vcpus: found 'two', expected"},
            {"sweep: {stlb.entries: " + many + ", system.vcpus: " + many + "}",
             "e.yaml:9:8: sweep: has more than 1000000 combinations"},
            {"sweep: {stlb.entries: [1000, 1001]}",
             "e.yaml:9:24: stlb.entries: 1000 entries in sets of 8 ways make 125 sets"}};
        for (const auto& [sweep, error] : cases) {
            place.write("e.yaml", experiment + sweep + "\n");
            const Finished finished = place.run("nestwalk sweep e.yaml --output r.sqlite");
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
            CHECK_MESSAGE(finished.err.starts_with(error), finished.err);
            CHECK_FALSE(place.has("r.sqlite"));
        }
    }

    TEST_CASE("progress is shown on a terminal and nowhere else") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        const Finished terminal = place.run(
            "script -qec 'nestwalk sweep e.yaml --output r.sqlite > t' /dev/null && cat t");
        CHECK(contains(terminal.out, " of 8 points, "));
        CHECK(place.run("nestwalk sweep e.yaml 2>&1 >/dev/null").out.empty());
    }

    TEST_CASE("nestwalk run takes the experiment without its sweep") {
        const Workplace place;
        place.write("e.yaml", kSweep);
        place.write("f.yaml", kSweep.substr(0, kSweep.find("sweep:")));
        for (const std::string command : {"run ", "show experiment "})
            CHECK(place.run("nestwalk " + command + "e.yaml").out ==
                  place.run("nestwalk " + command + "f.yaml").out);
    }
}

}  // namespace
}  // namespace nestwalk::test
