// What a figure can be: counted in its own statistic and unit, divided, derived from others, an
// input of the machine; and constants, whose values enter the machines of their runs.
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/yaml_reader.h"
#include "tests/apps/measured_folder.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::with;

const std::string kTop = R"(id: m
title: t
groups:
  - {id: g, title: ticks, unit: TSC ticks, jitter: 10,
     source: {title: s, where: w, year: 2016}}
  - {id: z, title: about 0, unit: TSC ticks, jitter: 10, judge: cycles, source: {title: s, where: w, year: 2016}}
)";

// A run without machine, experiment and figures.
const std::string kMeasurement = kTop + R"(constants:
  - {id: c, about: x, key: timing.invlpg, fitted_to: vm/invlpg, runs: [vm], value: 93.5}
runs:
  - id: vm
    machine: small
    statistic: tsc.between_reads
    experiment: experiments/small.yaml
    figures:
      - {id: invlpg, phase: invlpg, group: g, role: calibrated, measured: 93.5, per: 1000}
      - {id: cr3, phase: cr3, group: g, role: predicted, measured: 131, per: 1000}
      - {id: walks, phase: cr3 and loads, statistic: walks, group: z, role: predicted, measured: 16, per: 1000}
      - {id: far, phase: cr3 and loads, statistic: walks, group: z, role: predicted, measured: 20, per: 1000}
      - {id: net, group: g, role: derived, measured: 30, of: [cr3, invlpg, walks]}
      - {id: cost, group: g, role: input, key: timing.mov_cr3, measured: 124}
  - id: again
    machine: small
    statistic: tsc.between_reads
    experiment: experiments/small.yaml
    figures:
      - {id: invlpg, phase: invlpg, group: g, role: predicted, measured: 216000}
  - id: machine-alone
    machine: small
    figures:
      - {id: cost, group: g, role: input, key: timing.mov_cr3, measured: 120}
)";

Measurement read(const std::string& text, const std::string& base) {
    return read_measurement(read_yaml(text, "m.yaml"), base);
}

// The error of reading the measurement, or of running it.
std::string error_with(const std::string& from, const std::string& to) {
    const test::MeasuredFolder folder;
    return error_of([&] { validate(read(with(kMeasurement, from, to), folder.path(""))); });
}

TEST_SUITE("figure roles") {
    TEST_CASE("times come out in their unit, divided by per, in runs of their own machine") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        REQUIRE(validation.predictions.size() == 8);
        CHECK(validation.predictions[0]->value == doctest::Approx(93.5));  // the constant's value
        CHECK(validation.predictions[1]->value == doctest::Approx(124));
        CHECK(validation.predictions[2]->value == doctest::Approx(4));  // its own statistic
        CHECK(validation.predictions[6]->value == 216000);  // the constant is not in this run
    }

    TEST_CASE("a derived figure is the first less the rest, and no evidence") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        const FigurePrediction& net = *validation.predictions[4];
        CHECK(net.value == doctest::Approx(124 - 93.5 - 4));
        CHECK(net.plain_error == doctest::Approx((26.5 - 30) / 30));
        CHECK(validation.measurement.figures[4].measured == Decimal{30, 0});
        CHECK(validation.summaries[0].count == 2);  // vm/cr3 and again/invlpg
    }

    TEST_CASE("an input shows the value of the machine file, with an experiment and without") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        CHECK(validation.predictions[5]->value == 124);
        CHECK(validation.predictions[5]->error == 0);
        CHECK(validation.predictions[7]->value == 124);
        CHECK(validation.predictions[7]->plain_error == doctest::Approx(4.0 / 120));
    }

    TEST_CASE("a group judged in cycles has its errors in the unit beyond the jitter") {
        const test::MeasuredFolder folder;
        const Validation validation = validate(read(kMeasurement, folder.path("")));
        const ErrorSummary& summary = validation.summaries[1];
        CHECK(summary.count == 2);
        CHECK(summary.largest == doctest::Approx(6));  // 4 against 20, jitter 10
        CHECK(summary.median == doctest::Approx(4));   // 2 and 6
        CHECK(summary.signed_mean == doctest::Approx(-4));
        CHECK_FALSE(validation.predictions[2]->cause);                    // 2 of max(16, 50)
        CHECK(validation.predictions[3]->cause == ErrorCause::kUnknown);  // 6 of max(20, 50)
    }

    TEST_CASE("the text gives units, decimals and where a figure comes from") {
        const test::MeasuredFolder folder;
        const std::string text = report_validations({validate(read(kMeasurement, folder.path("")))},
                                                    ReportFormat::kText);
        CHECK(contains(text, "g: ticks (TSC ticks, jitter 10)\nMeasured (\"s\", w, 2016).\n"));
        CHECK(contains(text, "z: about 0 (TSC ticks, jitter 10, errors in this unit)"));
        CHECK(contains(text, "vm/walks        16          4   -2.0        -12.0  predicted"));
        CHECK(contains(text, "derived     cr3 less invlpg, walks\n"));
        CHECK(contains(text, "input       timing.mov_cr3\n"));
        CHECK(
            contains(text, "- c (fitted constant: timing.invlpg = 93.5, solved from vm/invlpg)."));
        CHECK(contains(text, "1 fitted constant (c) and 0 discrete choices against 4 predicted"));
        CHECK(
            contains(text, "calibrated: 1, derived: 1,\ninput: 2, not modelled: 0, of 8 figures."));
    }

    TEST_CASE("a key goes with the role that it means something for") {
        CHECK(error_with("role: derived, measured: 30, of: [cr3, invlpg, walks]",
                         "role: derived, measured: 30") ==
              "m.yaml:19:9: runs[0].figures[4]: the key 'of' is missing");
        CHECK(contains(error_with("of: [cr3, invlpg, walks]", "of: [cr3]"),
                       "m.yaml:19:62: runs[0].figures[4].of: expected at least two figures"));
        CHECK(contains(error_with("of: [cr3, invlpg, walks]", "of: [cr3, cost]"),
                       "runs[0].figures[4].of[1]: found 'cost', expected invlpg, cr3, walks"));
        CHECK(contains(error_with("of: [cr3, invlpg, walks]", "of: [cr3, walks], per: 2"),
                       "'per' goes with a figure that is counted in a phase"));
        CHECK(contains(error_with("measured: 131, per: 1000", "measured: 131, of: [invlpg]"),
                       "'of' goes with the role 'derived'"));
        CHECK(contains(error_with("measured: 131, per: 1000", "measured: 131, key: vendor"),
                       "'key' goes with the role 'input'"));
        CHECK(contains(error_with("measured: 131, per: 1000", "measured: 131, per: 0"),
                       "found '0', expected an unsigned whole number"));
        CHECK(contains(error_with("key: timing.mov_cr3, measured: 124",
                                  "key: timing.mov_cr3, phase: cr3, measured: 124"),
                       "an input has a 'phase', a 'key' or a 'lock', and only one"));
    }

    TEST_CASE("an input is documented or measured in the machine file, and a number there") {
        CHECK(error_with("timing.mov_cr3, measured: 124", "timing.invlpg, measured: 124") ==
              "m.yaml:20:9: 'vm/cost' is no input: in the machine file timing.invlpg is 'set by "
              "experiment', expected documented or measured");
        CHECK(error_with("timing.mov_cr3, measured: 120", "timing.invlpg, measured: 120") ==
              "m.yaml:30:9: 'machine-alone/cost' is no input: in the machine file timing.invlpg is "
              "'calibrated', expected documented or measured");
        CHECK(contains(error_with("timing.mov_cr3, measured: 120", "timing.cr3, measured: 120"),
                       "the machine has no value of the name 'timing.cr3'"));
    }

    TEST_CASE("a figure needs a statistic of one unit and a machine that keeps time") {
        CHECK(
            error_with("    statistic: tsc.between_reads\n    experiment: experiments/small.yaml\n"
                       "    figures:\n      - {id: invlpg, phase: invlpg, group: g, role: pred",
                       "    experiment: experiments/small.yaml\n"
                       "    figures:\n      - {id: invlpg, phase: invlpg, group: g, role: pred") ==
            "m.yaml:25:9: runs[1].figures[0]: the key 'statistic' is missing, here, in the run "
            "and at the top");
        CHECK(contains(error_with("statistic: walks, group: z, role: predicted, measured: 16",
                                  "statistic: walk, group: z, role: predicted, measured: 16"),
                       "'walk' adds up core cycles (walk.cycles.pending) and walks "
                       "(walk.timed.load), expected statistics of one unit"));
        CHECK(contains(error_with("  - id: again\n    machine: small",
                                  "  - id: again\n    machine: small\n    set: {timing: off}"),
                       "'tsc.between_reads' needs a machine that says how long things take, and "
                       "that of the run of 'again/invlpg' has timing: off"));
        CHECK(contains(
            error_with("  - id: machine-alone\n    machine: small", "  - id: machine-alone"),
            "runs[2]: the key 'machine' is missing, here and at the top"));
    }

    TEST_CASE("units, jitter and source are each group's own or those at the top") {
        CHECK(error_with("title: ticks, unit: TSC ticks, ", "title: ticks, ") ==
              "m.yaml:4:5: groups[0]: the key 'unit' is missing, here and at the top");
        CHECK(contains(error_with(", judge: cycles", ", judge: ticks"),
                       "found 'ticks', expected percent or cycles"));
        CHECK(contains(error_with(",\n     source: {title: s, where: w, year: 2016}}", "}"),
                       "the key 'source' is missing"));
    }
}

TEST_SUITE("constants in measurement files") {
    TEST_CASE("a constant is fitted to a calibrated figure of one of its runs") {
        CHECK(contains(error_with("runs: [vm], value", "runs: [again], value"),
                       "m.yaml:8:54: constants[0].fitted_to: the run of 'vm/invlpg' is not among "
                       "the constant's runs"));
        CHECK(contains(error_with("fitted_to: vm/invlpg", "fitted_to: vm/cr3"),
                       "'vm/cr3' is fitted to, so its role must be 'calibrated'"));
        CHECK(contains(error_with("role: calibrated", "role: predicted"),
                       "'vm/invlpg' is fitted to, so its role must be 'calibrated'"));
        CHECK(contains(error_with("role: derived, measured: 30, of: [cr3, invlpg, walks]",
                                  "role: calibrated, measured: 30, phase: cr3"),
                       "'vm/net' has the role 'calibrated', but nothing is fitted_to it"));
    }

    TEST_CASE("its value is a latency and its key one that the run does not set itself") {
        CHECK(contains(error_with("value: 93.5", "value: 93.5x"),
                       "m.yaml:8:84: constants[0].value: found '93.5x', expected a latency"));
        CHECK(contains(error_with("    machine: small\n    statistic: tsc.between_reads\n",
                                  "    machine: small\n    set: {timing.invlpg: 3}\n"
                                  "    statistic: tsc.between_reads\n"),
                       "constants[0].runs[0]: this run sets 'timing.invlpg' itself"));
        CHECK(contains(error_with("runs: [vm], value", "runs: [vm, vm], value"),
                       "constants[0].runs[1]: this run is named twice"));
        CHECK(contains(error_with("value: 93.5}\n",
                                  "value: 93.5}\n  - {id: d, about: x, key: timing.invlpg, "
                                  "fitted_to: vm/net, runs: [vm], value: 1}\n"),
                       "'vm/net' is fitted to, so"));
        CHECK(contains(
            error_of([] {
                std::string text = with(kMeasurement, "value: 93.5}\n",
                                        "value: 93.5}\n  - {id: d, about: x, key: timing.invlpg, "
                                        "fitted_to: vm/cr3, runs: [vm], value: 1}\n");
                text = with(text, "group: g, role: predicted, measured: 131",
                            "group: g, role: calibrated, measured: 131");
                read(text, "");
            }),
            "constants[1].runs[0]: 'c' gives 'timing.invlpg' a value in this run already"));
    }

    TEST_CASE("one figure has one constant") {
        CHECK(contains(error_with("value: 93.5}\n",
                                  "value: 93.5}\n  - {id: d, about: x, key: timing.mfence, "
                                  "fitted_to: vm/invlpg, runs: [vm], value: 1}\n"),
                       "m.yaml:9:54: constants[1].fitted_to: something else is fitted to the same "
                       "figure"));
    }
}

}  // namespace
}  // namespace nestwalk
