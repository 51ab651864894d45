// Locks in measurement files: bursts fitted to one run and carried over to another, predictions
// that are bands, and that bands are counted as what they are.
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/validation_totals.h"
#include "apps/yaml_reader.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

// Shares of exponential holds.
constexpr double kFixed = 0;

using test::with;

constexpr std::size_t kCpus = 16;
constexpr double kLongHold = 900'000;
constexpr double kShortHold = 300'000;
const BurstFit kTruth{kFixed, 3.5, 0.6, 7'000'000};

LockContention truth(double hold) { return contention(lock_with(kTruth, kCpus, hold)); }

// Two runs of one lock whose bursts are known.
std::string measurement() {
    return fmt::format(
        R"(id: m
title: t
unit: ns
jitter: 0
source: {{title: s, where: w, year: 2019}}
locks:
  - id: l
    about: a lock
    cpus: {}
    fitted_to: {{hold: on/hold, blocked_share: on/share, mean_block: on/block}}
    predicts: {{hold: off/hold, blocked_share: off/share, mean_block: off/block}}
    exits: {{count: 3, machines: [zen2]}}
groups:
  - {{id: t, title: times}}
  - {{id: s, title: shares, unit: blocks / locks}}
runs:
  - id: on
    figures:
      - {{id: hold, lock: l, group: t, role: input, measured: {:.0f}}}
      - {{id: share, lock: l, group: s, role: calibrated, measured: {:.6f}}}
      - {{id: block, lock: l, group: t, role: calibrated, measured: {:.0f}}}
  - id: off
    figures:
      - {{id: hold, lock: l, group: t, role: input, measured: {:.0f}}}
      - {{id: share, lock: l, group: s, role: predicted (band), measured: {:.6f}}}
      - {{id: block, lock: l, group: t, role: predicted (band), measured: {:.0f}}}
  - id: other
    figures:
      - {{id: time, group: t, role: not modelled, reason: a wall time, measured: 5}}
)",
        kCpus, kLongHold, truth(kLongHold).blocked_share, truth(kLongHold).mean_block, kShortHold,
        truth(kShortHold).blocked_share, truth(kShortHold).mean_block);
}

Measurement read(const std::string& text) {
    return read_measurement(read_yaml(text, "m.yaml"), "");
}

std::string error_with(const std::string& from, const std::string& to) {
    return error_of([&] { validate(read(with(measurement(), from, to))); });
}

const std::string kOff =
    fmt::format("group: t, role: predicted (band), measured: {:.0f}", truth(kShortHold).mean_block);

// The measurement with another number for how long the other run was blocked.
Validation with_block(double nanoseconds) {
    return validate(
        read(with(measurement(), kOff,
                  fmt::format("group: t, role: predicted (band), measured: {:.0f}", nanoseconds))));
}

TEST_SUITE("locks in measurement files") {
    TEST_CASE("the bands of a lock whose bursts are known contain what they do") {
        const Validation validation = validate(read(measurement()));
        REQUIRE(validation.locks.size() == 1);
        const LockContention other = truth(kShortHold);
        for (const auto& [at, value] : {std::pair{4, other.blocked_share}, {5, other.mean_block}}) {
            const FigurePrediction& prediction =
                *validation.predictions[static_cast<std::size_t>(at)];
            REQUIRE(prediction.band);
            CHECK(prediction.band->low < value);
            CHECK(prediction.band->high > value);
            CHECK(prediction.error == 0);
            CHECK(prediction.value == doctest::Approx(value).epsilon(1e-5));
            CHECK_FALSE(prediction.cause);
        }
    }

    TEST_CASE("a band is no wider than the bursts that have the fitted figures") {
        const Validation validation = validate(read(measurement()));
        const LockPrediction& lock = validation.locks[0];
        double least = 1e300;
        double most = 0;
        for (const RidgePoint& point : lock.ridge) {
            const LockContention fitted = contention(lock_with(point.bursts, kCpus, kLongHold));
            CHECK(fitted.blocked_share ==
                  doctest::Approx(truth(kLongHold).blocked_share).epsilon(1e-5));
            CHECK(fitted.mean_block == doctest::Approx(truth(kLongHold).mean_block).epsilon(1e-5));
            least = std::min(least, point.predicted.mean_block);
            most = std::max(most, point.predicted.mean_block);
        }
        CHECK(lock.mean_block.low == least);
        CHECK(lock.mean_block.high == most);
        // Bursts that never meet wait in holds: nothing can fall by less than the hold does.
        CHECK(most == doctest::Approx(truth(kLongHold).mean_block / 3).epsilon(1e-3));
    }

    TEST_CASE("outside a band the error is that of the nearer end and has a cause") {
        const Band band = validate(read(measurement())).locks[0].mean_block;
        const FigurePrediction above = *with_block(2 * band.high).predictions[5];
        CHECK(above.value == band.high);
        CHECK(above.error == doctest::Approx(-0.5).epsilon(1e-5));
        CHECK(above.cause == ErrorCause::kUnknown);
        const FigurePrediction below = *with_block(band.low / 2).predictions[5];
        CHECK(below.value == band.low);
        CHECK(below.error == doctest::Approx(1).epsilon(1e-5));
    }

    TEST_CASE("the figures of the other run change no prediction") {
        const Validation one = validate(read(measurement()));
        const Validation other = with_block(1'000);
        CHECK(one.locks[0].mean_block.low == other.locks[0].mean_block.low);
        CHECK(one.locks[0].mean_block.high == other.locks[0].mean_block.high);
    }

    TEST_CASE("bands enter no summary and are counted apart from predicted figures") {
        const Validation validation = validate(read(measurement()));
        for (const ErrorSummary& summary : validation.summaries) CHECK(summary.count == 0);
        const Totals totals = totals_of({validation});
        CHECK(totals.constants == 2);
        CHECK(totals.choices == 0);
        REQUIRE(totals.roles.size() == kFigureRoleWords.size());
        for (std::size_t at = 0; at < totals.roles.size(); ++at) {
            const std::string role(kFigureRoleWords[at].word);
            CAPTURE(role);
            CHECK(totals.roles[at] == (role == "predicted" || role == "derived" ? 0
                                       : role == "not modelled"                 ? 1
                                                                                : 2));
        }
        std::string text = report_validations({validation}, ReportFormat::kText);
        std::replace(text.begin(), text.end(), '\n', ' ');
        CHECK(contains(text,
                       "2 fitted constants (l: gap, l: geometric share) and 0 discrete choices "
                       "against 0 predicted figures; calibrated: 2, predicted (band): 2, derived: "
                       "0, input: 2, not modelled: 1, of 7 figures."));
    }

    TEST_CASE("a report has the band and its width where a number would stand") {
        const Validation validation = validate(read(measurement()));
        const Band band = validation.locks[0].blocked_share;
        const std::string text = report_validations({validation}, ReportFormat::kText);
        CHECK(contains(text, fmt::format("{:.6f} to {:.6f}  +0.000 %  predicted (band)  ", band.low,
                                         band.high)));
        CHECK(contains(text, " % wide\n"));
        CHECK(contains(text, "given to l\n"));
        CHECK(contains(text, "CPUs a burst  geometric  gap in holds   busy  blocked"));
        CHECK(contains(text, "each CPU for itself          fixed"));
        CHECK(contains(text, "on/hold is 600,000 ns longer than off/hold, with 3 exits a hold."));
        // 600,000 / 3, and that / 16.
        CHECK(contains(text, "an exit takes 200,000 ns"));
        CHECK(contains(text, "12,500 ns"));
    }

    TEST_CASE("JSON and CSV never give a band as a number") {
        const Validation validation = validate(read(measurement()));
        const nlohmann::json json =
            nlohmann::json::parse(report_validations({validation}, ReportFormat::kJson));
        const nlohmann::json& figure = json["measurements"][0]["figures"][5];
        CHECK(figure["role"] == "predicted (band)");
        CHECK_FALSE(figure.contains("predicted"));
        CHECK_FALSE(figure.contains("model"));
        CHECK(figure["predicted_low"] < figure["measured"]);
        CHECK(figure["predicted_high"] > figure["measured"]);
        const nlohmann::json& lock = json["measurements"][0]["locks"][0];
        CHECK(lock["ridge"].size() == validation.locks[0].ridge.size());
        CHECK(lock["exits"]["machines"][0]["provenance"] == "measured");
        CHECK(json["totals"]["roles"]["predicted (band)"] == 2);

        std::istringstream lines(report_validations({validation}, ReportFormat::kCsv));
        std::vector<std::string> rows;
        for (std::string line; std::getline(lines, line);) rows.push_back(line);
        REQUIRE(rows.size() == 8);
        for (const std::string& row : rows) CHECK(std::count(row.begin(), row.end(), ',') == 16);
        CHECK(rows[0].ends_with(",predicted_low,predicted_high"));
        const Band band = validation.locks[0].mean_block;
        // No model, no predicted number; inside the band there is no difference.
        CHECK(rows[6].ends_with(fmt::format(",,,0.000,0,0,,{:.3f},{:.3f}", band.low, band.high)));
        CHECK(rows[2].ends_with(",,,"));
    }

    TEST_CASE("requests of each CPU for itself cannot have both figures") {
        const Validation validation = validate(read(measurement()));
        const std::vector<RequestFamily>& families = validation.locks[0].families;
        REQUIRE(!families.empty());
        CHECK(families[0].name == "each CPU for itself");
        CHECK(families[0].fitted.blocked_share ==
              doctest::Approx(truth(kLongHold).blocked_share).epsilon(1e-5));
        CHECK(families[0].fitted.mean_block < 0.8 * truth(kLongHold).mean_block);
        CHECK(validation.locks[0].simulated_difference < 0.05);
    }

    TEST_CASE("a lock names its figures and they name it") {
        CHECK(error_with("hold: on/hold,", "hold: on/hald,") ==
              "m.yaml:10:23: locks[0].fitted_to.hold: found 'on/hald', expected on/hold, on/share, "
              "on/block, off/hold, off/share, off/block or other/time, did you mean 'on/hold'?");
        CHECK(contains(error_with("mean_block: on/block}", "mean_block: other/time}"),
                       "m.yaml:10:69: locks[0].fitted_to.mean_block: 'other/time' does not say "
                       "'lock: l'"));
        CHECK(contains(error_with("mean_block: on/block}", "mean_block: off/block}"),
                       "the role of 'off/block' must be 'calibrated'"));
        CHECK(contains(error_with("hold: off/hold, ", "hold: off/share, "),
                       "the role of 'off/share' must be 'input'"));
        CHECK(contains(error_with("{id: time, group: t, role: not modelled, reason: a wall time",
                                  "{id: time, group: t, role: input, lock: l"),
                       "m.yaml:29:9: no lock 'l' names the figure 'other/time'"));
        CHECK(contains(error_with("{id: time, group: t, role: not modelled, reason: a wall time",
                                  "{id: time, group: t, role: input, lock: k"),
                       "no lock 'k' names the figure 'other/time'"));
        CHECK(contains(error_with("cpus: 16", "cpus: 1"),
                       "m.yaml:9:11: locks[0].cpus: found '1', expected"));
        CHECK(contains(error_with("    about: a lock\n", ""), "the key 'about' is missing"));
        CHECK(contains(error_with(", mean_block: on/block}", "}"),
                       "locks[0].fitted_to: the key 'mean_block' is missing"));
    }

    TEST_CASE("a figure that a lock predicts is a band and nothing else is one") {
        CHECK(contains(error_with("lock: l, " + kOff, kOff),
                       "a band is what a 'lock' predicts, and this figure has none"));
        CHECK(contains(error_with("lock: l, " + kOff, "lock: l, phase: p, " + kOff),
                       "'phase' goes with a figure that is counted in a phase"));
        CHECK(contains(error_with("role: not modelled, reason: a wall time",
                                  "role: derived, of: [time, time], lock: l"),
                       "found 'time'"));
        CHECK(contains(error_with("role: not modelled, reason: a wall time, measured: 5}",
                                  "role: predicted, lock: l, measured: 5}"),
                       "'lock' goes with the roles 'input', 'calibrated' and 'predicted (band)'"));
        CHECK(contains(error_with("{id: block, lock: l, " + kOff,
                                  "{id: block, share_of: hold, lock: l, " + kOff),
                       "a band is no number that could be a share"));
        CHECK(contains(error_with("  - id: other\n",
                                  "      - {id: net, group: t, role: derived, "
                                  "of: [block, hold], measured: 4}\n"
                                  "  - id: other\n"),
                       "is predicted as a band, so no number can be derived from it"));
        CHECK(contains(error_with("  - id: off\n",
                                  "  - id: off\n    alternatives: [{id: a, about: x, set: {}}, "
                                  "{id: b, about: x, set: {}}]\n"),
                       "the run of 'off/hold' has alternatives"));
    }

    TEST_CASE("times are in nanoseconds and shares between 0 and 1") {
        CHECK(contains(error_with("unit: ns", "unit: us"),
                       "'on/hold' is a time, so its unit must be ns"));
        CHECK(contains(error_with("measured: 900000}", "measured: 0}"),
                       "'on/hold' is 0, expected a time"));
        CHECK(contains(error_with(fmt::format("measured: {:.6f}}}", truth(kLongHold).blocked_share),
                                  "measured: 1.5}"),
                       "'on/share' is 1.5, expected a share between 0 and 1"));
    }

    TEST_CASE("figures that no bursts have are an error at the lock") {
        CHECK(error_with(fmt::format("measured: {:.6f}}}", truth(kLongHold).blocked_share),
                         "measured: 0.01}") ==
              "m.yaml:7:5: no bursts of up to 16 CPUs have both figures of 'l', to which they are "
              "fitted");
    }

    TEST_CASE("exits are of known machines and make the hold longer") {
        CHECK(contains(error_with("machines: [zen2]", "machines: [zen99]"), "m.yaml:12:34: "));
        CHECK(contains(error_with("count: 3", "count: 0"), "m.yaml:12:20: locks[0].exits.count"));
        CHECK(contains(error_with("measured: 900000}", "measured: 200000}"),
                       "m.yaml:12:12: locks[0].exits: 'on/hold' is no longer than 'off/hold', so "
                       "exits explain nothing"));
    }
}

TEST_SUITE("the flush lock of the PV shim") {
    TEST_CASE("both figures of the run without PGE lie in their bands") {
        const Validation validation = validate(find_measurement("pv-shim-pge"));
        for (const char* id : {"pge-off/blocked-share", "pge-off/mean-block"}) {
            CAPTURE(id);
            const std::vector<MeasuredFigure>& figures = validation.measurement.figures;
            const auto found = std::find_if(figures.begin(), figures.end(),
                                            [&](const auto& figure) { return figure.id == id; });
            REQUIRE(found != figures.end());
            const FigurePrediction& prediction =
                *validation.predictions[static_cast<std::size_t>(found - figures.begin())];
            REQUIRE(prediction.band);
            CHECK(prediction.band->low < found->measured.value);
            CHECK(prediction.band->high > found->measured.value);
        }
    }

    TEST_CASE("geometric bursts with a fixed hold do what an independent calculation has") {
        // With the gap fitted to the blocked share of the run with PGE.
        const std::vector<RequestFamily> families =
            validate(find_measurement("pv-shim-pge")).locks[0].families;
        const auto family = [&](const std::string& name) {
            return *std::find_if(families.begin(), families.end(), [&](const auto& each) {
                return each.name == name && each.exponential_share == kFixed;
            });
        };
        CHECK(family("geometric bursts of 3").fitted.mean_block ==
              doctest::Approx(8.12 * 746'588).epsilon(0.01));
        CHECK(family("geometric bursts of 3").predicted.blocked_share ==
              doctest::Approx(0.743).epsilon(0.002));
        CHECK(family("geometric bursts of 3").predicted.mean_block ==
              doctest::Approx(889'000).epsilon(0.01));
        CHECK(family("geometric bursts of 5").predicted.blocked_share ==
              doctest::Approx(0.830).epsilon(0.005));
        CHECK(family("geometric bursts of 5").predicted.mean_block ==
              doctest::Approx(1'377'000).epsilon(0.02));
        CHECK(family("geometric bursts of 9").predicted.mean_block ==
              doctest::Approx(2'010'000).epsilon(0.02));
    }
}

}  // namespace
}  // namespace nestwalk
