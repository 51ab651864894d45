// Runs of which several configurations may have been measured, constants solved for from another
// machine's figure, and what all measurements come to.
#include "apps/calibration.h"
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/validation_totals.h"
#include "apps/yaml_reader.h"
#include "tests/apps/measured_folder.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using test::with;

const std::string kAlternatives =
    "    alternatives:\n"
    "      - {id: pages-4k, about: four pages, set: {system.guest.page_size: 4K}}\n"
    "      - {id: pages-2m, about: one page, set: {system.guest.page_size: 2M}}\n";

const std::string kMeasurement = R"(id: alt
title: which one was it
unit: TSC ticks
statistic: tsc.between_reads
jitter: 0
source: {title: t, where: w, year: 2016, author: a, message: m}
machine: small
constants:
  - {id: one-invlpg, about: x, key: timing.invlpg, fitted_to: one/invlpg, runs: [one], value: 250.5,
     alternative_fit: two/invlpg}
  - {id: two-invlpg, about: x, key: timing.invlpg, fitted_to: two/invlpg, runs: [two], value: 240.5}
groups: [{id: g, title: t}]
runs:
  - id: one
    experiment: experiments/small.yaml
    figures:
      - {id: invlpg, phase: invlpg, group: g, role: calibrated, measured: 250.5, per: 1000}
      - {id: both, phase: invlpg and loads, group: g, role: predicted, measured: 509, per: 1000}
  - id: two
    experiment: experiments/small.yaml
)" + kAlternatives + R"(    chosen: pages-2m
    figures:
      - {id: invlpg, phase: invlpg, group: g, role: calibrated, measured: 240.5, per: 1000}
      - {id: both, phase: cr3 and loads, group: g, role: predicted, measured: 400, per: 1000}
      - {id: net, group: g, role: derived, measured: 180, of: [both, invlpg]}
  - id: three
    experiment: experiments/small.yaml
)" + kAlternatives + R"(    figures:
      - {id: both, phase: cr3 and loads, group: g, role: predicted, measured: 1400.25, per: 1000}
)";

Measurement read(const std::string& text, const std::string& base = "") {
    return read_measurement(read_yaml(text, "m.yaml"), base);
}

std::string error_with(const std::string& from, const std::string& to) {
    return error_of([&] { read(with(kMeasurement, from, to)); });
}

// With line breaks as spaces, as running text reads.
std::string flat(std::string text) {
    for (char& c : text) c = c == '\n' ? ' ' : c;
    return text;
}

TEST_SUITE("alternatives") {
    TEST_CASE("each figure is predicted under each alternative, and counts under the chosen one") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        REQUIRE(validation.hypothesis_tests.size() == 2);
        const HypothesisTest& two = validation.hypothesis_tests[0];
        REQUIRE(two.hypotheses.size() == 2);
        const double small_pages = two.hypotheses[0].predictions[3]->value;
        const double large_pages = two.hypotheses[1].predictions[3]->value;
        CHECK(small_pages > large_pages + 500);  // four walks instead of one, one after the other
        CHECK(validation.predictions[3]->value == large_pages);
        CHECK_FALSE(two.hypotheses[0].predictions[0]);  // another run's
        CHECK(validation.summaries[0].count == 2);      // one/both and two/both
    }

    TEST_CASE("the alternative with the smallest largest error fits best") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        const HypothesisTest& two = validation.hypothesis_tests[0];
        CHECK(two.best == 1);
        const Hypothesis& other = two.hypotheses[0];
        const double net = other.predictions[4]->value;
        CHECK(net == doctest::Approx(other.predictions[3]->value - 240.5));
        CHECK(other.worst_figure == 4);
        CHECK(other.largest_factor == doctest::Approx(net / 180));
        CHECK(other.largest_error == doctest::Approx(net / 180 - 1));
        CHECK(validation.hypothesis_tests[1].best == 0);
    }

    TEST_CASE("figures of a run without a choice are in no group and have no prediction") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        CHECK_FALSE(validation.predictions[5]);
        const Hypothesis& small_pages = validation.hypothesis_tests[1].hypotheses[0];
        CHECK(small_pages.predictions[5]->value ==
              validation.hypothesis_tests[0].hypotheses[0].predictions[3]->value);
    }

    TEST_CASE("the text shows both, says which fits and by how much the other misses") {
        const test::MeasuredFolder folder;
        const std::string text = flat(report_validations(
            {validate(read(kMeasurement, folder.path("")))}, ReportFormat::kText));
        CHECK(contains(text, "- two: pages-2m (discrete choice, of pages-4k, pages-2m). one page"));
        CHECK(contains(text, "two under each of 2 alternatives, of which pages-2m was chosen"));
        CHECK(contains(text,
                       "two/both      400     1,159.23  +189.8 %    332.00  -17.0 %  predicted"));
        CHECK(contains(text, "pages-2m fits best: it misses by up to a factor of 1.97 (two/net)"));
        CHECK(
            contains(text, "pages-4k misses by up to a factor of 5.10 (two/net), largest error "));
        CHECK(contains(text, "two-invlpg has the same value under each."));
        CHECK(contains(text, "None was chosen, so these figures are in no group."));
        CHECK(contains(
            text, "three/both  1,400.25                        predicted   see its alternatives"));
        CHECK(contains(text, "and 1 discrete choice (two: pages-2m) against 2 predicted figures"));
        CHECK(contains(text, "under alternatives of which none was chosen: 1, of 6 figures."));
    }

    TEST_CASE("JSON has every alternative, CSV the chosen one") {
        const test::MeasuredFolder folder;
        const std::vector<Validation> one{validate(read(kMeasurement, folder.path("")))};
        const nlohmann::json json =
            nlohmann::json::parse(report_validations(one, ReportFormat::kJson))["measurements"][0];
        CHECK(json["alternatives"][0]["best"] == "pages-2m");
        CHECK(json["alternatives"][0]["chosen"] == "pages-2m");
        CHECK(json["alternatives"][0]["under"][0]["figures"].size() == 3);
        CHECK_FALSE(json["alternatives"][1].contains("chosen"));
        CHECK(json["runs"].size() == 5);
        CHECK(json["runs"][2]["alternative"] == "pages-2m");
        const std::string csv = report_validations(one, ReportFormat::kCsv);
        CHECK(contains(csv, "\nalt,two,both,g,predicted,pages-2m,TSC ticks,,400,332.0"));
        CHECK(contains(csv, "\nalt,three,both,g,predicted,,TSC ticks,,1400.25,,,,,,,,\n"));
    }

    TEST_CASE("--output has an experiment of each alternative") {
        const test::MeasuredFolder folder;
        const test::Workplace place;
        folder.write("validation/alt.yaml",
                     with(with(with(kMeasurement, "experiments/", "../experiments/"),
                               "    experiment: experiments/", "    experiment: ../experiments/"),
                          "    experiment: experiments/", "    experiment: ../experiments/"));
        CHECK(place.run("nestwalk validate alt --output out -j 2").status == 0);
        for (const char* name : {"one", "two.pages-4k", "two.pages-2m", "three.pages-2m"})
            CHECK(place.has(std::string("out/alt/") + name + ".yaml"));
        CHECK(place.run("nestwalk run out/alt/two.pages-2m.yaml").status == 0);
    }

    TEST_CASE("alternatives are at least two, and the choice is one of them") {
        CHECK(contains(error_with("chosen: pages-2m", "chosen: pages-1g"),
                       "runs[1].chosen: found 'pages-1g', expected pages-4k or pages-2m"));
        CHECK(contains(error_with("      - {id: pages-2m, about: one page, set: "
                                  "{system.guest.page_size: 2M}}\n    chosen: pages-2m\n",
                                  ""),
                       "runs[1].alternatives: one alternative is none, expected at least two"));
        CHECK(
            contains(error_with(kAlternatives + "    chosen: pages-2m\n", "    chosen: pages-2m\n"),
                     "runs[1].chosen: found 'pages-2m', expected an id, but there are none"));
        CHECK(contains(error_with("    chosen: pages-2m\n", ""),
                       "the run of 'two/invlpg' has no 'chosen' alternative"));
        const std::string error = error_of([] {
            read(with(with(kMeasurement, "    chosen: pages-2m\n", ""),
                      ",\n     alternative_fit: two/invlpg}", "}"));
        });
        CHECK(error ==
              "m.yaml:10:63: constants[1].fitted_to: the run of 'two/invlpg' has alternatives and "
              "none of them is 'chosen', so nothing can be fitted to it");
    }
}

TEST_SUITE("leave-one-out") {
    TEST_CASE("a constant is solved from the other figure and judged on its own runs") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        REQUIRE(validation.left_out.size() == 1);
        const LeaveOneOut& left_out = validation.left_out[0];
        CHECK(left_out.constant == 0);
        CHECK(left_out.value == Latency{240'500, ClockDomain::kCore});
        // INVLPG is 10 of 250.5 too small, and so is it with the four loads.
        CHECK(left_out.errors.count == 2);
        CHECK(left_out.errors.largest == doctest::Approx(10.0 / 250.5));
        const double both = validation.predictions[1]->value - 10;
        CHECK(left_out.errors.median ==
              doctest::Approx((10.0 / 250.5 + std::abs(both / 509 - 1)) / 2).epsilon(0.001));
        CHECK(validation.predictions[0]->value == doctest::Approx(250.5));  // as it was
    }

    TEST_CASE("the closing lines give both values, or say what is left out") {
        const test::MeasuredFolder folder;
        const std::string text = flat(report_validations(
            {validate(read(kMeasurement, folder.path("")))}, ReportFormat::kText));
        CHECK(contains(text,
                       "Leave-one-out: one-invlpg is 240.5 when it is solved from two/invlpg "
                       "and not from one/invlpg, which gives 250.5; 2 figures of its runs "
                       "then have a median error of 2.0 % and a largest of 4.0 %."));
        CHECK(contains(text,
                       "Left out of leave-one-out, because fitted to a single figure: "
                       "two-invlpg (two/invlpg)."));
    }

    TEST_CASE("the other figure must be one that is predicted, and another one") {
        CHECK(contains(error_with("alternative_fit: two/invlpg", "alternative_fit: one/invlpg"),
                       "constants[0].alternative_fit: is what the constant is fitted to already"));
        CHECK(contains(error_with("alternative_fit: two/invlpg", "alternative_fit: three/both"),
                       "the run of 'three/both' has no 'chosen' alternative"));
        CHECK(contains(error_with("alternative_fit: two/invlpg", "alternative_fit: four"),
                       "m.yaml:10:23: constants[0].alternative_fit: found 'four', expected "));
    }

    TEST_CASE("a value that the other figure cannot have is an error") {
        const test::MeasuredFolder folder;
        const std::string text =
            with(kMeasurement, "alternative_fit: two/invlpg", "alternative_fit: two/both");
        CHECK(contains(error_of([&] { validate(read(text, folder.path(""))); }),
                       "the constant 'one-invlpg' (timing.invlpg) does not matter to its figure"));
    }
}

TEST_SUITE("validation totals") {
    TEST_CASE("totals add up constants, choices and figures by role") {
        const test::MeasuredFolder folder;
        const std::vector<Validation> two = validate(
            {read(kMeasurement, folder.path("")), find_measurement("invlpg-dtlb-misses")}, {});
        const Totals totals = totals_of(two);
        CHECK(totals.constants == 3);
        CHECK(totals.choices == 4);
        CHECK(totals.figures == 18);
        CHECK(totals.roles == std::vector<std::size_t>{3, 14, 0, 1, 0, 0});
        CHECK(totals.undecided == 1);
        const std::string text = report_validations(two, ReportFormat::kText, ReportScope::kAll);
        CHECK(contains(text, "All measurements (2 files)\n"));
        CHECK(contains(text, "\nalt/g  "));
        CHECK(contains(text, "\ninvlpg-dtlb-misses/selective-flush  "));
        CHECK(contains(
            flat(text),
            "3 fitted constants and 4 discrete choices against 18 figures: 3 "
            "calibrated, 14 predicted, 0 predicted (band), 1 derived, 0 input, 0 not modelled."));
        CHECK(contains(text, "Not modelled: 0.0 % of all figures, at most 15 % allowed.\n"));
        CHECK_FALSE(contains(report_validations(two, ReportFormat::kText), "All measurements"));
    }

    TEST_CASE("the number of threads changes nothing but the time") {
        const test::MeasuredFolder folder;
        const auto report = [&](std::size_t threads) {
            const std::vector<Validation> two = validate(
                {read(kMeasurement, folder.path("")), find_measurement("invlpg-dtlb-misses")},
                {.threads = threads});
            return report_validations(two, ReportFormat::kJson);
        };
        const std::string expected = report(1);
        CHECK(report(2) == expected);
        CHECK(report(16) == expected);
    }

    TEST_CASE("of all shipped figures at most 15 % are not modelled") {
        std::size_t figures = 0;
        std::size_t not_modelled = 0;
        for (const Measurement& measurement : find_measurements({})) {
            figures += measurement.figures.size();
            not_modelled += count_role(measurement, FigureRole::kNotModelled);
        }
        CHECK(figures >= 12);
        CHECK(static_cast<double>(not_modelled) <= kMostNotModelled * static_cast<double>(figures));
    }
}

}  // namespace
}  // namespace nestwalk
