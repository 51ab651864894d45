// `nestwalk run --engine`: the same numbers from either engine.
#include "tests/apps/program.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kLoop =
    "machine: haswell-ep\nsystem: {paging: nested, guest: {page_size: 2M}}\nworkload:\n"
    "  program: |\n"
    "    phase \"full flush\"\n"
    "    repeat 30 {\n      mov-cr3\n      load 0x400000 count=50 stride=4K\n    }\n"
    "    phase \"chase\"\n"
    "    rdtsc\n    load 0x40000000 count=40 stride=68K dep\n    rdtsc fenced\n"
    "    store 0x400ffc count=9 stride=4K\n    mfence\n";

TEST_SUITE("nestwalk run --engine") {
    TEST_CASE("the cycle engine reports what replay does") {
        const Workplace place;
        place.write("e.yaml", kLoop);
        for (const std::string format : {"text", "csv"}) {
            const Finished cycle =
                place.run("nestwalk run e.yaml --engine cycle --format " + format);
            CHECK(cycle.status == 0);
            CHECK(cycle.err.empty());
            CHECK(cycle.out.find("cycles.stall.walk") != std::string::npos);
            CHECK(cycle.out ==
                  without_replayed(
                      place.run("nestwalk run e.yaml --no-collapse --format " + format).out));
        }
        CHECK(place.run("nestwalk run e.yaml --engine replay").out ==
              place.run("nestwalk run e.yaml").out);
    }

    TEST_CASE("an access log has the same times from either engine") {
        const Workplace place;
        place.write("e.yaml", kLoop);
        CHECK(place.run("nestwalk run e.yaml --access-log replay.csv").status == 0);
        CHECK(place.run("nestwalk run e.yaml --engine cycle --access-log cycle.csv").status == 0);
        CHECK(place.read("cycle.csv") == place.read("replay.csv"));
        CHECK(place.read("cycle.csv").size() > 1000);
    }

    TEST_CASE("the cycle engine wants a machine that says how long things take") {
        const Workplace place;
        place.write("e.yaml", kLoop);
        const Finished finished = place.run("nestwalk run e.yaml --engine cycle --set timing=off");
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        CHECK(finished.err ==
              "--engine cycle: machine 'haswell-ep' has timing: off; expected one that says how "
              "long things take\n");
    }

    TEST_CASE("an engine that is not known is an error that names those that are") {
        const Workplace place;
        place.write("e.yaml", kLoop);
        const Finished finished = place.run("nestwalk run e.yaml --engine fast");
        CHECK(finished.status == 2);
        CHECK(finished.err.find("fast") != std::string::npos);
        CHECK(finished.err.find("replay") != std::string::npos);
    }
}

}  // namespace
}  // namespace nestwalk::test
