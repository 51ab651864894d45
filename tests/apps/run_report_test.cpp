// The reports of a run, against files. To update these after an intended change, run the tests with
// NESTWALK_UPDATE_GOLDEN=1 in the environment and read what `git diff tests/golden` shows.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kRun = "nestwalk run '" NESTWALK_SOURCE_DIR "/tests/golden/run.yaml' ";

std::string row_of(const std::string& csv, const std::string& start) {
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(start)) return line;
    }
    return "no row " + start;
}

TEST_SUITE("reports of a run") {
    TEST_CASE("text and CSV are what the golden files hold") {
        const Workplace place;
        for (const std::string format : {"text", "csv"}) {
            const Finished finished = place.run(kRun + "--format " + format);
            CHECK(finished.status == 0);
            CHECK(finished.err.empty());
            CHECK(golden_difference("run." + format, finished.out) == "");
        }
    }

    TEST_CASE("JSON is what the golden file holds, the machine left out") {
        const Workplace place;
        auto json = nlohmann::ordered_json::parse(place.run(kRun + "--format json").out);
        CHECK(json["experiment"]["machine"]["name"] == "exact");
        json["experiment"].erase("machine");
        CHECK(golden_difference("run.json", json.dump(1) + "\n") == "");
    }

    TEST_CASE("a report says how accesses were replayed and why") {
        const Workplace place;
        const std::string loads = "    load 0x400000 count=100 stride=4K\n";
        place.write("e.yaml", "machine: skylake\nworkload:\n  program: |\n" + loads);
        const auto says = [&](const std::string& options, const std::string& what) {
            return place.run("nestwalk run e.yaml " + options)
                       .out.find("\nreplayed: " + what + "\n") != std::string::npos;
        };
        CHECK(says("", "staged"));
        CHECK(says("--set timing=off", "staged"));
        CHECK(says("--set machine=exact",
                   "one at a time, because the machine has arrays without bounds"));
        CHECK(says("--check", "one at a time, because expectations are checked"));
        CHECK(says("--access-log log", "one at a time, because each is logged"));
        CHECK(says("--set system.caches.data=modelled",
                   "one at a time, because the data caches hold what accesses reference"));
        CHECK(place.run("nestwalk run e.yaml --engine cycle").out.find("replayed") ==
              std::string::npos);

        // The page is mapped for the kernel alone.
        place.write("e.yaml",
                    "machine: skylake\nworkload:\n  program: |\n    map 0x800000 size=4K\n" +
                        loads + "    load 0x800000\n" + loads);
        CHECK(
            says("",
                 "staged, but for 1 of 201 accesses; the first, because rights refuse the access, "
                 "or a D bit is to be set"));
        const auto json =
            nlohmann::json::parse(place.run("nestwalk run e.yaml --format json").out)["replayed"];
        CHECK(json["staged"] == 200);
        CHECK(json["one_at_a_time"] == 1);
        CHECK(json["first_reason"] == "rights");
    }

    TEST_CASE("CSV has every statistic of the whole and of each phase, with its unit") {
        const Workplace place;
        const std::string csv = place.run(kRun + "--format csv").out;
        CHECK(csv.starts_with("phase,statistic,value,unit\n"));
        // 1 + 10 * 4 loads, then 100 * 4
        CHECK(row_of(csv, ",references.load") == ",references.load,441,accesses");
        CHECK(row_of(csv, "(before),references.load") == "(before),references.load,1,accesses");
        CHECK(row_of(csv, "\"warm, then written\",references.load") ==
              "\"warm, then written\",references.load,40,accesses");
        CHECK(row_of(csv, "flushed,operations.invlpg") ==
              "flushed,operations.invlpg,100,operations");
        CHECK(row_of(csv, ",frac_full_flushes") == ",frac_full_flushes,0,flushes");
    }

    TEST_CASE("the footprint counts both pages of an access that crosses, whatever maps them") {
        const Workplace place;
        place.write("t", "load 0x1ffc\nload 0x400000 count=2\nfetch 0x9000\n");
        for (const std::string size : {"4K", "2M"}) {
            const std::string csv =
                place.run(kRun + "--trace t --format csv --set system.guest.page_size=" + size).out;
            CHECK(row_of(csv, ",footprint.data.4K") == ",footprint.data.4K,3,pages");
            CHECK(row_of(csv, ",footprint.data.2M") == ",footprint.data.2M,2,pages");
        }
    }

    TEST_CASE("an empty trace is a run in which nothing happened") {
        const Workplace place;
        place.write("empty", "");
        const Finished finished = place.run(kRun + "--trace empty");
        CHECK(finished.status == 0);
        CHECK(contains(finished.out, "0 data references, 0 distinct 4K pages"));
        CHECK(contains(finished.out, "every statistic is 0"));
        CHECK(place.run(kRun + "--trace empty --format json").status == 0);
    }

    TEST_CASE("more phases than a terminal shows are left to JSON and CSV") {
        const Workplace place;
        std::string trace;
        for (int at = 0; at < 9; ++at)
            trace += "phase \"p" + std::to_string(at) + "\"\nload 0x1000\n";
        place.write("t", trace);
        CHECK(contains(place.run(kRun + "--trace t").out, "9 phases are too many for columns"));
        CHECK(contains(place.run(kRun + "--trace t --format csv").out, "p8,references.load,1,"));
    }
}

}  // namespace
}  // namespace nestwalk::test
