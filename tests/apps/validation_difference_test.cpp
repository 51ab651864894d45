// Figures that are the difference of two measured times: predicted as that of two phases.
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "tests/apps/measured_folder.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::string measurement(const std::string& figure) {
    return "id: m\ntitle: t\nunit: ticks\nstatistic: tsc.between_reads\njitter: 0\nsource: {title: "
           "t, where: w, year: 2016}\nmachine: small\ngroups: [{id: g, title: t}]\nruns:\n  - id: "
           "r\n    "
           "experiment: ../experiments/small.yaml\n    figures:\n      - {id: drop, group: g, "
           "measured: 90, " +
           figure + "}\n";
}

TEST_SUITE("measured differences") {
    TEST_CASE("a difference is the statistic of one phase less that of another") {
        const test::MeasuredFolder folder;
        folder.write("validation/m.yaml",
                     measurement("role: predicted, phase: invlpg, less: cr3, per: 1000"));
        const Validation validation = validate(find_measurement("m"));
        REQUIRE(validation.predictions[0].has_value());
        CHECK(validation.predictions[0]->value == doctest::Approx(216 - 124));
    }

    TEST_CASE("a difference of something that is not counted, or of no phase, is an error") {
        const test::MeasuredFolder folder;
        folder.write("validation/m.yaml",
                     measurement("role: input, key: timing.invlpg, less: cr3"));
        CHECK(contains(error_of([] { find_measurement("m"); }),
                       "'less' goes with a figure that is counted in a phase"));
        folder.write("validation/m.yaml",
                     measurement("role: predicted, phase: invlpg, less: none"));
        CHECK(contains(error_of([] { validate(find_measurement("m")); }),
                       "m.yaml:13:82: the experiment has no phase of that name: 'none'"));
    }
}

}  // namespace
}  // namespace nestwalk
