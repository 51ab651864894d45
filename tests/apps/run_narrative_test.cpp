// The narrative in the reports of a run. How golden files are updated: program.h.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

const std::string kLessons = "nestwalk run '" NESTWALK_SOURCE_DIR "/configs/lessons/";

TEST_SUITE("narrative of a run") {
    TEST_CASE("a lesson as text is what the golden file holds") {
        const Workplace place;
        const Finished finished = place.run(kLessons + "nested-walk.yaml'");
        CHECK(finished.status == 0);
        CHECK(finished.err.empty());
        CHECK(golden_difference("lesson-nested-walk.text", finished.out) == "");
    }

    TEST_CASE("JSON has the narrative as a list, with the lines of the experiment") {
        const Workplace place;
        const auto report =
            nlohmann::json::parse(place.run(kLessons + "accessed-dirty.yaml' --format json").out);
        const auto& store = report["narrative"][2];
        CHECK(report["narrative"].size() == 9);
        CHECK(store["operation"] == "store 0x1000");
        CHECK(store["outcome"] == "hit in the L1 TLB, dirty assist, 1 read below a cached PDE");
        CHECK(store["walks"] == nlohmann::json::parse(R"([["PTE+D"]])"));
        CHECK(store["more_walks"] == 0);
        CHECK(store["line"].get<int>() > 10);
        CHECK(store["explanation"].get<std::string>().starts_with("The first store."));
    }

    TEST_CASE("without explanations the report has no narrative, and JSON an empty one") {
        const Workplace place;
        place.write("t", "load 0x1000\n");
        const std::string run = kLessons + "accessed-dirty.yaml' --trace t --format ";
        CHECK_FALSE(contains(place.run(run + "text").out, "Statistics"));
        CHECK(contains(place.run(run + "json").out, "\"narrative\": [],"));
    }

    TEST_CASE("no line of a lesson is longer than 100 columns") {
        const Workplace place;
        place.write("t", "explain \"" + std::string(30, 'x') + " " + std::string(90, 'y') +
                             "\"\nload 0x1000 count=9 stride=2M\n");
        const std::string text = place.run(kLessons + "nested-walk.yaml' --trace t").out;
        CHECK(contains(text,
                       "\n    " + std::string(30, 'x') + "\n    " + std::string(90, 'y') + "\n"));
        CHECK(contains(text, "    and 5 more walks\n"));
    }
}

}  // namespace
}  // namespace nestwalk::test
