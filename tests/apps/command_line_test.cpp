// What is typed: help on standard output with status 0, mistakes on standard error with status 2.
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

TEST_SUITE("command line") {
    TEST_CASE("help is a result") {
        const Workplace place;
        for (const std::string command :
             {"", "run ", "validate ", "walk ", "show ", "show machine ", "trace ", "trace info ",
              "trace cut ", "trace generate "}) {
            const Finished finished = place.run("nestwalk " + command + "--help");
            CHECK(finished.status == 0);
            CHECK(contains(finished.out, "--help"));
            CHECK(finished.err.empty());
        }
    }

    TEST_CASE("mistakes have status 2 and print nothing on standard output") {
        const Workplace place;
        for (const std::string arguments :
             {"", "run", "show", "walk e.yaml", "run e.yaml extra", "run --what e.yaml",
              "run e.yaml --set", "walk e.yaml 0 --access", "show machine", "show nonsense"}) {
            INFO(arguments);
            const Finished finished = place.run("nestwalk " + arguments);
            CHECK(finished.status == 2);
            CHECK(finished.out.empty());
            CHECK(!finished.err.empty());
        }
    }

    TEST_CASE("an unknown command is named, with the one that was meant") {
        const Workplace place;
        const Finished finished = place.run("nestwalk wlak e.yaml 0");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err,
                       "unknown command: 'wlak'; expected run, sweep, compare, "
                       "validate, calibrate, walk, show or trace"));
    }

    TEST_CASE("an unknown format is named, and those that are known") {
        const Workplace place;
        const Finished finished = place.run("nestwalk run e.yaml --format xml");
        CHECK(finished.status == 2);
        CHECK(contains(finished.err, "--format: xml not in {text,json,csv}"));
    }
}

}  // namespace
}  // namespace nestwalk::test
