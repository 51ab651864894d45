// Constants are solved for from the figures alone, compared, and written in place.
#include "apps/calibration.h"
#include "apps/calibration_report.h"
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/latency.h"
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "tests/apps/measured_folder.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

// Each number of the right-hand side of the figures is a closed form of the small machine: INVLPG
// takes its latency; the walks are one after the other behind it.
const std::string kMeasurement = R"(id: small
title: four loads after a flush
unit: TSC ticks
statistic: tsc.between_reads
jitter: 0
source: {title: t, where: w, year: 2016, author: a, message: m}
machine: small
constants:
  # The order is against that of the dependences: walk needs invlpg.
  - {id: walk, about: x, key: timing.walk_latency, fitted_to: vm/both, runs: [vm],   value: 30}   # kept
  - {id: invlpg, about: x, key: timing.invlpg, fitted_to: vm/invlpg, runs: [vm], value: '180.25 tsc'}
groups: [{id: g, title: t}]
runs:
  - id: vm
    experiment: ../experiments/small.yaml
    figures:
      - {id: invlpg, phase: invlpg, group: g, role: calibrated, measured: 250.5, per: 1000}
      - {id: both, phase: invlpg and loads, group: g, role: calibrated, measured: 538.25, per: 1000}
      - {id: cr3, phase: cr3, group: g, role: predicted, measured: 130, per: 1000}
)";

std::vector<Latency> solved(const test::MeasuredFolder& folder, const std::string& text) {
    folder.write("validation/small.yaml", text);
    return solve_constants(find_measurement("small"));
}

std::string error_with(const std::string& from, const std::string& to) {
    const test::MeasuredFolder folder;
    const std::string error = error_of([&] { solved(folder, test::with(kMeasurement, from, to)); });
    const std::string file = folder.path("validation/small.yaml");
    return error.starts_with(file) ? error.substr(file.size()) : error;
}

TEST_SUITE("calibration") {
    TEST_CASE("each constant brings its own figure to what was measured") {
        const test::MeasuredFolder folder;
        const std::vector<Latency> values = solved(folder, kMeasurement);
        REQUIRE(values.size() == 2);
        CHECK(values[1] == Latency{250'500, ClockDomain::kTsc});
        Measurement measurement = find_measurement("small");
        for (std::size_t at = 0; at < values.size(); ++at)
            measurement.constants[at].value = values[at];
        const Validation validation = validate(measurement);
        for (const std::size_t figure : {0U, 1U})
            CHECK(std::abs(validation.predictions[figure]->difference) < 0.003);
        CHECK(validation.predictions[2]->value == doctest::Approx(124));
    }

    TEST_CASE("what the file has stored does not enter") {
        const test::MeasuredFolder folder;
        const std::vector<Latency> expected = solved(folder, kMeasurement);
        for (const char* stored : {"0", "35.211", "999999"})
            CHECK(solved(folder, test::with(kMeasurement, "  value: 30",
                                            std::string("  value: ") + stored)) == expected);
    }

    TEST_CASE(
        "constants of runs that do not meet are solved apart, on as many threads as one likes") {
        const test::MeasuredFolder folder;
        std::string text = test::with(kMeasurement, "runs: [vm], value: '180.25 tsc'",
                                      "runs: [other], value: '180.25 tsc'");
        text = test::with(text, "fitted_to: vm/invlpg", "fitted_to: other/invlpg");
        text =
            test::with(text, "role: calibrated, measured: 250.5", "role: predicted, measured: 1");
        text += R"(  - id: other
    experiment: ../experiments/small.yaml
    figures: [{id: invlpg, phase: invlpg, group: g, role: calibrated, measured: 250.5, per: 1000}]
)";
        const std::vector<Latency> one = solved(folder, text);
        CHECK(one[1] == Latency{250'500, ClockDomain::kTsc});
        // With the machine's own 216 for INVLPG, the walk has 34.5 more to make up for.
        const Latency together = solved(folder, kMeasurement)[0];
        folder.write("validation/small.yaml", text);
        CHECK(one[0].milli > together.milli + 30'000);
        CHECK(solve_constants(find_measurement("small"), 4) == one);
    }

    TEST_CASE("stored and solved that differ are exit status 1 until they are written") {
        const test::MeasuredFolder folder;
        folder.write("validation/small.yaml", kMeasurement);
        const test::Workplace place;
        const test::Finished before = place.run("nestwalk calibrate small");
        CHECK(before.status == kExitCheckFailed);
        CHECK(contains(before.out, "walk      timing.walk_latency  vm/both            30"));
        CHECK(contains(before.out, "2 stored values differ from what was solved; --write"));
        CHECK(folder.read("validation/small.yaml") == kMeasurement);

        const test::Finished written = place.run("nestwalk calibrate --write small");
        CHECK(written.status == kExitDone);
        const Calibration calibration = calibrate(find_measurement("small"));
        const std::string walk = latency_node(calibration.solved[0]).text;
        CHECK(folder.read("validation/small.yaml") ==
              test::with(test::with(kMeasurement, "  value: 30", "  value: " + walk), "180.25 tsc",
                         "250.5 tsc"));
        const test::Finished after = place.run("nestwalk calibrate small");
        CHECK(after.status == kExitDone);
        CHECK(contains(after.out, "The stored values are the solved ones."));
    }

    TEST_CASE("a constant that would have to be negative is an error at its value") {
        CHECK(error_with("measured: 538.25", "measured: 448.25") ==
              ":10:93: the constant 'walk' (timing.walk_latency) would have to be negative: "
              "already at 0 the model says 502.969 for 'vm/both' where 448.25 was measured");
    }

    TEST_CASE("a constant beyond every latency is an error") {
        CHECK(contains(error_with("measured: 538.25", "measured: 1_100_000"),
                       ":10:93: the constant 'walk' (timing.walk_latency) would have to be above "
                       "1000000: there the model says 10"));
    }

    TEST_CASE("a constant that does not matter to its figure is an error") {
        CHECK(contains(error_with("key: timing.walk_latency", "key: timing.mfence"),
                       ":10:87: the constant 'walk' (timing.mfence) does not matter to its figure: "
                       "with any value the model says "));
    }

    TEST_CASE("two constants for figures that say nearly the same do not settle") {
        const test::MeasuredFolder folder;
        folder.write("experiments/small.yaml", R"(title: small
machine: small
workload:
  program: |
    phase "invlpg"
    repeat 100 {
      invlpg 0x400000
      load 0x400000
    }
    phase "invlpg and loads"
    repeat 100 {
      invlpg 0x400000
      load 0x400000
    }
    mov-cr3
    load 0x400000
)");
        std::string text = test::with(kMeasurement, "tsc.between_reads", "cycles.total");
        text = test::with(text, "invlpg, group: g, role: calibrated, measured: 250.5, per: 1000",
                          "invlpg, group: g, role: calibrated, measured: 60000");
        text = test::with(text, "calibrated, measured: 538.25, per: 1000",
                          "calibrated, measured: 60500");
        text = test::with(text,
                          "      - {id: cr3, phase: cr3, group: g, role: predicted, measured: "
                          "130, per: 1000}\n",
                          "");
        CHECK(contains(error_of([&] { solved(folder, text); }),
                       "the constants do not settle: after 100 rounds "));
    }

    TEST_CASE("a key that no machine has is an error at the constant") {
        CHECK(contains(error_with("key: timing.walk_latency", "key: timing.walk_latenzy"),
                       ":10:93: 'timing.walk_latenzy' is no setting of a machine"));
    }

    TEST_CASE("also_in holds the machine file to the value and to its provenance") {
        const test::MeasuredFolder folder;
        const auto fault = [&](const std::string& also_in) {
            const std::string text = test::with(kMeasurement, "value: '180.25 tsc'", also_in);
            folder.write("validation/small.yaml", text);
            const std::vector<std::string> faults =
                calibrate(find_measurement("small")).machine_faults;
            return faults.empty() ? std::string("none") : faults[0];
        };
        CHECK(fault("value: 250.5, also_in: small") ==
              "invlpg: the machine small has timing.invlpg: 216, expected 250.5");
        folder.write("machines/small.yaml",
                     test::with(test::kSmallMachine, "invlpg: 216", "invlpg: 250.5"));
        CHECK(fault("value: 250.5, also_in: small") == "none");
        CHECK(fault("value: 250.5 tsc, also_in: small") ==
              "invlpg: the machine small has timing.invlpg: 250.5, expected 250.5 tsc");
        folder.write(
            "machines/small.yaml",
            test::with(test::with(test::kSmallMachine, "invlpg: 216", "invlpg: 250.5"),
                       "calibrated, source: a test, on: a figure", "measured, source: a test"));
        CHECK(fault("value: 250.5, also_in: small") ==
              "invlpg: the machine small says that timing.invlpg is 'measured', expected "
              "'calibrated'");
        CHECK(test::Workplace().run("nestwalk calibrate small --write").status == kExitCheckFailed);
        CHECK(contains(error_of([&] { fault("value: 250.5, also_in: smal"); }),
                       ":11:105: unknown machine 'smal'"));
    }

    TEST_CASE("a measurement without constants has nothing to solve for") {
        const test::Finished finished =
            test::Workplace().run("nestwalk calibrate invlpg-dtlb-misses");
        CHECK(finished.status == kExitDone);
        CHECK(contains(finished.out, "No value of a machine is fitted to these figures."));
        CHECK(test::Workplace().run("nestwalk calibrate nothing-known").status == kExitBadInput);
    }

    TEST_CASE("the constants of every shipped measurement are those that its figures ask for") {
        for (const Measurement& measurement : find_measurements({})) {
            CAPTURE(measurement.id);
            const Calibration calibration = calibrate(measurement);
            CHECK(differing(calibration).empty());
            for (const std::string& fault : calibration.machine_faults) CHECK(fault.empty());
        }
    }
}

}  // namespace
}  // namespace nestwalk
