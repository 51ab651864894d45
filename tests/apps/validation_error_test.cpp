// Errors and their summary: closed forms, and what predict() makes of counts that no simulation
// gave.
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

// Two runs: `vm` uses a factor that is fitted to its first figure, `bare` uses none.
Measurement measurement(const std::string& jitter = "0") {
    return read_measurement(
        read_yaml("id: m\ntitle: t\nunit: misses\nstatistic: walks\njitter: " + jitter + R"(
source: {title: t, where: w, year: 2016, author: a, message: m}
machine: exact
assumptions:
  - {id: factor, about: all counts are multiplied, fitted_to: vm/a}
  - {id: choice, about: something was chosen}
groups: [{id: one, title: the first}, {id: two, title: the second}]
runs:
  - id: vm
    experiment: vm.yaml
    assumptions: [factor, choice]
    figures:
      - {id: a, phase: p, group: one, role: calibrated, measured: 300}
      - {id: b, phase: p, group: one, role: predicted, measured: 310}
      - {id: c, phase: p, group: two, role: predicted, measured: 1000, cause: noisy figure}
  - id: bare
    experiment: bare.yaml
    figures:
      - {id: a, phase: p, group: one, role: predicted, measured: 98}
      - {id: b, phase: p, group: two, role: predicted, measured: 50}
  - id: build
    figures:
      - {id: time, group: one, role: not modelled, reason: a wall time, measured: 977}
)",
                  "m.yaml"),
        "/base");
}

const FigureValues kValues{100, 100, 100, 100, 100, std::nullopt};

TEST_SUITE("validation errors") {
    TEST_CASE("the plain error is relative to the measured figure and has its sign") {
        CHECK(plain_error(103, 100) == doctest::Approx(0.03));
        CHECK(plain_error(51, 93172) == doctest::Approx(51.0 / 93172 - 1));
        CHECK(plain_error(0, 0) == 0);
        CHECK(std::isinf(plain_error(1, 0)));
    }

    TEST_CASE("without jitter the error is the plain error") {
        for (const double predicted : {0.0, 1.0, 99.0, 100.0, 250.0})
            CHECK(jitter_error(predicted, 100, 0) == doctest::Approx(plain_error(predicted, 100)));
    }

    TEST_CASE("what lies within the jitter is no error, what lies beyond it counts from there") {
        CHECK(jitter_error(108, 100, 8) == 0);
        CHECK(jitter_error(92, 100, 8) == 0);
        CHECK(jitter_error(120, 100, 8) == doctest::Approx(0.12));  // (20 - 8) / max(100, 40)
        CHECK(jitter_error(80, 100, 8) == doctest::Approx(-0.12));
    }

    TEST_CASE("a figure below five times the jitter is judged against five times the jitter") {
        CHECK(jitter_error(26, 10, 8) == doctest::Approx(0.2));  // (16 - 8) / max(10, 40)
        CHECK(jitter_error(16, 0, 8) == doctest::Approx(0.2));   // (16 - 8) / max(0, 40)
        CHECK(jitter_error(8, 0, 8) == 0);
    }

    TEST_CASE("of a figure of 0 without jitter any other prediction is infinitely off") {
        CHECK(jitter_error(0, 0, 0) == 0);
        CHECK(std::isinf(jitter_error(0.5, 0, 0)));
    }

    TEST_CASE("beyond the jitter is the difference in the unit with the jitter taken off") {
        CHECK(beyond_jitter(112, 100, 10) == doctest::Approx(2));
        CHECK(beyond_jitter(85, 100, 10) == doctest::Approx(-5));
        CHECK(beyond_jitter(109, 100, 10) == 0);
    }

    TEST_CASE("the summary takes absolute errors: median, nearest rank, largest") {
        const ErrorSummary five = summarize({-0.05, 0.01, 0.04, -0.02, 0.03});
        CHECK(five.count == 5);
        CHECK(five.median == doctest::Approx(0.03));
        CHECK(five.percentile_90 == doctest::Approx(0.05));  // rank ceil(4.5) = 5
        CHECK(five.largest == doctest::Approx(0.05));

        std::vector<double> twenty;
        for (int i = 20; i >= 1; --i) twenty.push_back(i);
        const ErrorSummary summary = summarize(twenty);
        CHECK(summary.median == doctest::Approx(10.5));
        CHECK(summary.percentile_90 == 18);  // rank 18 of 20
        CHECK(summary.largest == 20);

        CHECK(summary.signed_mean == doctest::Approx(10.5));
        CHECK(five.signed_mean == doctest::Approx(0.002));  // of the errors with their signs

        CHECK(summarize({-0.5}).percentile_90 == 0.5);
        CHECK(summarize({-0.5}).signed_mean == -0.5);
        CHECK(summarize({}).count == 0);
    }

    TEST_CASE(
        "a factor is measured over counted of the figure it is fitted to, for the runs using it") {
        const Validation validation = predict(measurement(), kValues);
        REQUIRE(validation.factors.size() == 2);
        CHECK(validation.factors[0] == doctest::Approx(3));
        CHECK_FALSE(validation.factors[1]);
        CHECK(validation.predictions[0]->value == doctest::Approx(300));
        CHECK(validation.predictions[1]->value == doctest::Approx(300));
        CHECK(validation.predictions[3]->value == 100);  // bare uses nothing
        CHECK_FALSE(validation.predictions[5]);
    }

    TEST_CASE("only predicted figures are summarised, each group by itself") {
        const Validation validation = predict(measurement(), kValues);
        REQUIRE(validation.summaries.size() == 2);
        CHECK(validation.summaries[0].count == 2);  // vm/b and bare/a, not the calibrated vm/a
        CHECK(validation.summaries[0].largest == doctest::Approx(10.0 / 310));
        CHECK(validation.summaries[1].count == 2);
        CHECK(validation.summaries[1].largest == doctest::Approx(1));
        CHECK(validation.summaries[1].median == doctest::Approx(0.85));
    }

    TEST_CASE("a predicted figure more than 10 % off has the cause of its file, or unknown") {
        const Validation validation = predict(measurement(), kValues);
        CHECK_FALSE(validation.predictions[1]->cause);                        // -3 %
        CHECK(validation.predictions[2]->cause == ErrorCause::kNoisyFigure);  // -70 %
        CHECK(validation.predictions[4]->cause == ErrorCause::kUnknown);      // +100 %
    }

    TEST_CASE("the jitter of the measurement is taken off the error and left on the plain error") {
        const Validation validation = predict(measurement("10"), kValues);
        CHECK(validation.predictions[1]->error == 0);
        CHECK(validation.predictions[1]->plain_error == doctest::Approx(-10.0 / 310));
        CHECK(validation.predictions[4]->error == doctest::Approx(40.0 / 50));
        CHECK(validation.summaries[1].largest == doctest::Approx(0.8));
    }

    TEST_CASE("nothing can be fitted to a figure of which the model counts none") {
        const std::string error = error_of([] { predict(measurement(), {0, 1, 1, 1, 1, {}}); });
        CHECK(
            error ==
            "m.yaml:17:24: the model counts 0 walks for 'vm/a', so no factor can be fitted to it");
    }
}

}  // namespace
}  // namespace nestwalk
