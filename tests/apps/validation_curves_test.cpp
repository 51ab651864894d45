// Rate curves in measurement files: their points against closed forms, the rates that measured
// ratios would need, and where errors point.
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/measurement_file.h"
#include "apps/text_file.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/yaml_reader.h"
#include "tests/apps/measured_folder.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using test::with;

// At 2000 MHz: an INVLPG of 1 microsecond or of 2, and 8, 48 or 998 microseconds without.
const std::string kExperiment = R"(title: t
machine: small
workload:
  program: |
    phase "often"
    repeat 10 {
      invlpg 0x5000
      compute 16_000
    }
    phase "seldom"
    repeat 10 {
      invlpg 0x5000
      compute 1_996_000
    }
    phase "now and then"
    repeat 10 {
      invlpg 0x5000
      compute 96_000
    }
    phase "never"
    compute 5
)";

const std::string kMeasurement = R"(id: m
title: t
unit: ratio
jitter: 0
source: {title: s, where: w, year: 2012}
groups: [{id: g, title: ratios}]
curves:
  - id: c
    title: one against the other
    event: INVLPG
    experiment: ../experiments/curve.yaml
    of: {id: fast, set: {timing.invlpg: 1000 ns}}
    to: {id: slow, set: {timing.invlpg: 2000 ns}}
    side: below
    events: operations.invlpg
    own: cycles.stall.flush
    workloads:
      - {id: w, title: a workload, phases: [often, seldom, now and then]}
    marks:
      - {figure: one/ratio, cpu_seconds: 100, sys_seconds: 3.5}
      - {figure: two/ratio, cpu_seconds: 200}
runs:
  - id: one
    figures: [{id: ratio, group: g, role: not modelled, reason: no rate, measured: 0.95}]
  - id: two
    figures: [{id: ratio, group: g, role: not modelled, reason: no rate, measured: 0.5}]
)";

Measurement read(const std::string& text, const test::MeasuredFolder& folder) {
    folder.write("experiments/curve.yaml", kExperiment);
    return read_measurement(read_yaml(text, "m.yaml"), folder.path("validation"));
}

Validation validated(const std::string& text) {
    const test::MeasuredFolder folder;
    return validate(read(text, folder));
}

std::string error_with(const std::string& from, const std::string& to) {
    return error_of([&] { validated(with(kMeasurement, from, to)); });
}

TEST_SUITE("rate curves") {
    TEST_CASE("points are times divided and come in the order of their rates") {
        const Validation validation = validated(kMeasurement);
        REQUIRE(validation.curves.size() == 1);
        REQUIRE(validation.curves[0].lines.size() == 1);
        const CurveLine& line = validation.curves[0].lines[0];
        REQUIRE(line.size() == 3);
        const double without[] = {998e-6, 48e-6, 8e-6};
        for (std::size_t at = 0; at < 3; ++at) {
            CHECK(line[at].rate == doctest::Approx(1 / (without[at] + 2e-6)).epsilon(1e-3));
            CHECK(line[at].ratio ==
                  doctest::Approx((without[at] + 1e-6) / (without[at] + 2e-6)).epsilon(1e-3));
            CHECK(line[at].own == doctest::Approx(1e-6).epsilon(1e-3));
        }
        CHECK(line[0].phase == 1);
        CHECK(line[2].phase == 0);
    }

    TEST_CASE("a ratio is found between points and not beyond them") {
        const CurveLine line{{0, 1000, 0.9, 1e-6}, {1, 3000, 0.5, 2e-6}};
        CHECK(*rate_for(line, 0.95) == doctest::Approx(500));  // half way to the first point
        CHECK(*rate_for(line, 0.9) == doctest::Approx(1000));
        CHECK(*rate_for(line, 0.6) == doctest::Approx(2500));
        CHECK(*rate_for(line, 1) == doctest::Approx(0));
        CHECK(!rate_for(line, 0.49));
        CHECK(!rate_for(line, 1.01));
        CHECK(own_at(line, 900) == 1e-6);
        CHECK(own_at(line, 1001) == 2e-6);
        CHECK(own_at(line, 9000) == 2e-6);
        const CurveLine rising{{0, 1000, 1.1, 0}};
        CHECK(*rate_for(rising, 1.05) == doctest::Approx(500));
        CHECK(!rate_for(rising, 0.95));
        CHECK(!rate_for(CurveLine{{0, 1000, 1, 0}}, 0.9));  // a curve that is flat
    }

    TEST_CASE("the text has the points the rates and the direction") {
        const std::string text = report_validations({validated(kMeasurement)}, ReportFormat::kText);
        CHECK(contains(text, "\nc: one against the other. The time with fast as a share of that"));
        CHECK(contains(text,
                       "w                   1,000          0.9990\n"
                       "w                  20,000          0.9800\n"
                       "w                 100,000          0.9000\n"));
        CHECK(contains(text, "Direction: 3 of 3 points are below 1, and 2 of 2 measured ratios."));
        // 1 - ratio = rate x 1 microsecond: 50,000 a second, 5 million in 100 s, 5 s of their own.
        CHECK(contains(text, "one/ratio      0.95  w           50,000        5.0"));
        CHECK(contains(text, "5.0             3.5\n"));
        CHECK(contains(text, "two/ratio       0.5  w          no rate\n"));
    }

    TEST_CASE("points on the other side of 1 are counted") {
        const Validation validation = validated(with(kMeasurement, "side: below", "side: above"));
        CHECK(count_contrary(validation.measurement.curves[0], validation.curves[0]) == 3);
        CHECK(contains(report_validations({validation}, ReportFormat::kText),
                       "Direction: 0 of 3 points are above 1, and 0 of 2 measured ratios."));
        // No difference at all is no direction either.
        const Validation same =
            validated(with(kMeasurement, "timing.invlpg: 2000 ns", "timing.invlpg: 1000 ns"));
        CHECK(count_contrary(same.measurement.curves[0], same.curves[0]) == 3);
    }

    TEST_CASE("a curve predicts no figure") {
        const Validation validation = validated(kMeasurement);
        for (const auto& prediction : validation.predictions) CHECK_FALSE(prediction);
        for (const ErrorSummary& summary : validation.summaries) CHECK(summary.count == 0);
    }

    TEST_CASE("JSON and CSV have every point") {
        const Validation validation = validated(kMeasurement);
        const nlohmann::json json =
            nlohmann::json::parse(report_validations({validation}, ReportFormat::kJson));
        const nlohmann::json& curve = json["measurements"][0]["curves"][0];
        CHECK(curve["workloads"][0]["points"][0]["phase"] == "seldom");
        CHECK(curve["workloads"][0]["points"].size() == 3);
        CHECK(curve["contrary_points"] == 0);
        CHECK(curve["marks"][0]["rate"]["w"] > 49'000);
        CHECK(curve["marks"][1]["rate"]["w"].is_null());
        CHECK(curve["experiments"]["slow"]["machine"]["timing"]["invlpg"] == "2000 ns");

        std::istringstream lines(report_validations({validation}, ReportFormat::kCsv));
        std::vector<std::string> rows;
        for (std::string row; std::getline(lines, row);) rows.push_back(row);
        REQUIRE(rows.size() == 1 + 2 + 3);
        for (const std::string& row : rows) CHECK(std::count(row.begin(), row.end(), ',') == 16);
        CHECK(rows[3].starts_with("m,c,w,,curve,,ratio,"));
    }

    TEST_CASE("--output writes both experiments of a curve") {
        const test::MeasuredFolder folder;
        folder.write("experiments/curve.yaml", kExperiment);
        folder.write("validation/m.yaml", kMeasurement);
        CHECK(validate_command(
                  {.ids = {"m"}, .format = ReportFormat::kText, .output = folder.path("out")}) ==
              kExitDone);
        for (const char* way : {"fast", "slow"}) {
            const Experiment written = load_experiment(folder.path("out/m/c.") + way + ".yaml");
            const Validation validation = validate(find_measurement("m"));
            const CurveResult& curve = validation.curves[0];
            CHECK(written == (std::string(way) == "fast" ? curve.of : curve.to));
        }
    }

    TEST_CASE("errors of curves say where and what") {
        CHECK(error_with("phases: [often, seldom, now and then]", "phases: [oftn]") ==
              "m.yaml:18:45: the experiment has no phase of that name: 'oftn'; expected often, "
              "seldom, now and then or never, did you mean 'often'?");
        CHECK(error_with("phases: [often, seldom, now and then]", "phases: [never]") ==
              "m.yaml:18:45: 'operations.invlpg' is 0 in this phase with fast and 0 with slow, "
              "expected the same number, not 0");
        CHECK(contains(error_with("phases: [often, seldom, now and then]", "phases: []"),
                       "m.yaml:18:44: curves[0].workloads[0].phases: expected at least one phase"));
        CHECK(contains(error_with("side: below", "side: left"),
                       "m.yaml:14:11: curves[0].side: found 'left', expected below or above"));
        CHECK(contains(error_with("events: operations.invlpg", "events: operations.invlgp"),
                       "m.yaml:15:13: curves[0].events: found 'operations.invlgp'"));
        CHECK(contains(error_with("figure: two/ratio", "figure: three/ratio"),
                       "m.yaml:21:18: curves[0].marks[1].figure: found 'three/ratio'"));
        CHECK(contains(error_with("    event: INVLPG\n", ""),
                       "m.yaml:8:5: curves[0]: the key 'event' is missing"));
        CHECK(contains(error_with("{id: fast, set: {timing.invlpg: 1000 ns}}", "{id: fast}"),
                       "curves[0].of: the key 'set' is missing"));
        CHECK(
            contains(error_with("timing.invlpg: 2000 ns", "timing.invlgp: 2000 ns"), "m.yaml:13:"));
        CHECK(contains(error_with("experiments/curve.yaml", "experiments/no.yaml"), "no.yaml"));
        CHECK(contains(error_with("    own: cycles.stall.flush\n",
                                  "    own: cycles.stall.flush\n    set: {timing: off}\n"),
                       "timing"));
        CHECK(contains(error_with("  - id: two\n    figures: [{id: ratio, group: g, role: not "
                                  "modelled, reason: no rate,",
                                  "  - id: two\n    machine: small\n    figures: [{id: ratio, "
                                  "group: g, role: input, key: timing.mov_cr3,"),
                       "a curve predicts no figure, so the role of 'two/ratio' must be 'not "
                       "modelled'"));
    }

    TEST_CASE("a machine without time has no curve") {
        CHECK(error_with("    of: {id: fast, set: {timing.invlpg: 1000 ns}}\n"
                         "    to: {id: slow, set: {timing.invlpg: 2000 ns}}\n",
                         "    of: {id: fast, set: {timing: off}}\n"
                         "    to: {id: slow, set: {timing: off}}\n") ==
              "m.yaml:8:5: the machine of the experiment has timing: off, so the curve has no "
              "times");
    }
}

TEST_SUITE("measured ratios on their curves") {
    TEST_CASE("INVVPID of the address is faster at every rate and by itself explains no ratio") {
        const Validation validation = validate(find_measurement("invvpid"));
        REQUIRE(validation.curves.size() == 1);
        const RateCurve& curve = validation.measurement.curves[0];
        const CurveResult& result = validation.curves[0];
        CHECK(count_contrary(curve, result) == 0);
        CHECK(count_role(validation.measurement, FigureRole::kNotModelled) == 3);
        const auto needed = [&](std::size_t mark, const CurveLine& line) {
            const MeasuredFigure& figure = validation.measurement.figures[curve.marks[mark].figure];
            return *rate_for(line, figure.measured.value) * *curve.marks[mark].cpu_seconds;
        };
        for (const CurveLine& line : result.lines) {
            // sunflow: the exits alone take longer than all of its system time.
            const double flushes = needed(0, line);
            const double exits = flushes * own_at(line, flushes / *curve.marks[0].cpu_seconds);
            CHECK(exits > *curve.marks[0].sys_seconds);
            // The builds: the same work would need several times as many.
            CHECK(needed(2, line) > 5 * needed(1, line));
        }
    }

    TEST_CASE("an INVLPG costs what its walks do") {
        // 512 walks of 7 + 14.35 cycles and a read that hits the L1 or the L2, less the one walk
        // that INVVPID of the address leaves, at 2000 MHz.
        const Validation validation = validate(find_measurement("invvpid"));
        const CurveLine& line = validation.curves[0].lines[1];
        const double cost = (1 - line[0].ratio) / line[0].rate * 2e9;
        CHECK(cost > 511 * (14.35 + 4));
        CHECK(cost < 511 * (7 + 14.35 + 12));
    }

    TEST_CASE("a build without global pages is slower at every rate") {
        const Validation validation = validate(find_measurement("pv-shim-pge"));
        REQUIRE(validation.curves.size() == 1);
        const RateCurve& curve = validation.measurement.curves[0];
        CHECK(count_contrary(curve, validation.curves[0]) == 0);
        // Each line reaches the measured ratio, the larger the working set the sooner.
        double before = 1e9;
        for (const CurveLine& line : validation.curves[0].lines) {
            const std::optional<double> rate = rate_for(line, 1.01);
            REQUIRE(rate);
            CHECK(*rate < before);
            before = *rate;
        }
    }
}

}  // namespace
}  // namespace nestwalk
