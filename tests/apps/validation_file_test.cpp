// Measurement files: what they mean, and where their errors point.
#include "apps/measurement_file.h"
#include "apps/validation.h"
#include "apps/yaml_reader.h"
#include "tests/input_error.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

namespace nestwalk {
namespace {

// The figure stands in line 13, the assumption in line 7.
const std::string kGood = R"(id: m
title: t
unit: misses
statistic: stlb.misses.load
jitter: 0
source: {title: t, where: w, year: 2016, author: a, message: m}
assumptions: [{id: factor, about: x, fitted_to: vm/full}]
machine: exact
groups: [{id: g, title: t}]
runs:
  - {id: vm, experiment: ../e/vm.yaml, set: {system.vpid: off, stlb: {ways: 4}}, assumptions: [factor],
     figures: [
       {id: full, phase: f, group: g, role: calibrated, measured: 4_002_969},
       {id: part, phase: s, group: g, role: predicted, measured: 0x10, share_of: full, cause: unknown}]}
)";

Measurement read(const std::string& text) {
    return read_measurement(read_yaml(text, "m.yaml"), "/base/validation");
}

// What is wrong once the only `from` in the file above reads `to`.
std::string error_with(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.find(from, at + 1) == std::string::npos);
    return error_of([&] { read(text.replace(at, from.size(), to)); });
}

TEST_SUITE("measurement files") {
    TEST_CASE("a measurement means what it says") {
        const Measurement measurement = read(kGood);
        CHECK(measurement.id == "m");
        CHECK(measurement.source->year == 2016);
        REQUIRE(measurement.runs.size() == 1);
        const MeasuredRun& run = measurement.runs[0];
        CHECK(run.experiment == "/base/e/vm.yaml");
        REQUIRE(run.overrides.size() == 3);
        CHECK(dotted(run.overrides[0].path) == "machine");
        CHECK(run.overrides[0].value.text == "exact");
        CHECK(dotted(run.overrides[1].path) == "system.vpid");
        CHECK(run.assumptions == std::vector<std::size_t>{0});
        REQUIRE(measurement.figures.size() == 2);
        CHECK(measurement.figures[0].id == "vm/full");
        CHECK(measurement.figures[0].measured == Decimal{4002969, 0});
        CHECK(measurement.figures[1].measured == Decimal{16, 0});
        CHECK(measurement.figures[1].share_of == 0);
        CHECK(measurement.figures[1].cause == ErrorCause::kUnknown);
        CHECK(measurement.assumptions[0].fitted_to == 0);
    }

    TEST_CASE("unknown keys and words are errors with file, line, column and what was expected") {
        CHECK(contains(error_with("jitter: 0", "jiter: 0"),
                       "m.yaml:5:1: unknown key 'jiter'; expected id, title"));
        CHECK(contains(error_with("phase: f,", "phsae: f,"), "m.yaml:13:19: "));
        CHECK(error_with("role: calibrated", "role: fitted") ==
              "m.yaml:13:45: runs[0].figures[0].role: found 'fitted', expected calibrated, "
              "predicted, predicted (band), derived, input or not modelled");
        CHECK(contains(error_with("cause: unknown", "cause: bad luck"),
                       "m.yaml:14:95: runs[0].figures[1].cause: found 'bad luck', expected "
                       "unmodelled, wrong parameter, noisy figure or unknown"));
    }

    TEST_CASE("what is missing or of the wrong kind is an error") {
        CHECK(error_with("unit: misses\n", "") ==
              "m.yaml:8:10: groups[0]: the key 'unit' is missing, here and at the top");
        CHECK(contains(error_with("measured: 0x10", "measured: many"),
                       "found 'many', expected an unsigned number such as"));
        CHECK(contains(error_with("measured: 0x10", "measured: -1"), "m.yaml:14:66: "));
        CHECK(contains(error_with("phase: s, ", ""), "figures[1]: the key 'phase' is missing"));
        CHECK(contains(error_with("year: 2016", "year: 16"), "from 1970 to 2200"));
        CHECK(contains(error_with("[{id: g, title: t}]", "g"), "expected a list of groups"));
        CHECK(contains(error_with("{id: part", "{id: a/b"), "expected an id of a-z"));
    }

    TEST_CASE("a statistic must be one that is counted") {
        CHECK(error_with("stlb.misses.load", "stlb.mises") ==
              "m.yaml:4:12: statistic: found 'stlb.mises', expected a statistic of `nestwalk run`, "
              "or the beginning of several");
    }

    TEST_CASE("references must lead somewhere") {
        CHECK(contains(error_with("[factor]", "[faktor]"),
                       "runs[0].assumptions[0]: found 'faktor', expected factor, did you mean"));
        CHECK(contains(error_with("share_of: full", "share_of: half"),
                       "figures[1].share_of: found 'half', expected full"));
        CHECK(contains(error_with("fitted_to: vm/full", "fitted_to: full"),
                       "m.yaml:7:49: assumptions[0].fitted_to: found 'full', expected vm/full or "
                       "vm/part"));
        CHECK(contains(error_with("f, group: g", "f, group: h"), "found 'h', expected g"));
    }

    TEST_CASE("ids are unique") {
        CHECK(contains(error_with("{id: part", "{id: full"), "the id 'vm/full' is used twice"));
        CHECK(contains(error_with("[{id: g, title: t}]", "[{id: g, title: t}, {id: g, title: u}]"),
                       "m.yaml:9:34: groups[1].id: the id 'g' is used twice"));
    }

    TEST_CASE("a figure is calibrated if and only if a constant is fitted to it") {
        CHECK(contains(error_with("role: calibrated", "role: predicted"),
                       "m.yaml:7:49: assumptions[0].fitted_to: 'vm/full' is fitted to, so its role "
                       "must be 'calibrated'"));
        CHECK(error_with("role: predicted", "role: calibrated") ==
              "m.yaml:14:8: 'vm/part' has the role 'calibrated', but nothing is fitted_to it");
        CHECK(contains(error_with(", assumptions: [factor]", ""),
                       "the run of 'vm/full' does not have this among its assumptions"));
    }

    TEST_CASE("two factors cannot be fitted to one figure") {
        std::string text = kGood;
        text.replace(text.find("fitted_to: vm/full}"), 19,
                     "fitted_to: vm/full}, {id: more, about: y, fitted_to: vm/full}");
        text.replace(text.find("[factor]"), 8, "[factor, more]");
        CHECK(error_of([&] { read(text); }) ==
              "m.yaml:7:91: assumptions[1].fitted_to: something else is fitted to the same figure");
    }

    TEST_CASE("a figure that is not modelled says why, and any other has an experiment") {
        CHECK(contains(error_with("role: predicted", "role: not modelled"), "needs a 'reason'"));
        CHECK(contains(error_with("role: predicted", "role: predicted, reason: none"),
                       "'reason' goes with the role 'not modelled'"));
        CHECK(contains(
            error_with("experiment: ../e/vm.yaml, ", ""),
            "m.yaml:13:8: 'vm/full' is counted in a phase, so its run needs an 'experiment'"));
    }

    TEST_CASE("nothing is a share of 0") {
        CHECK(contains(error_with("measured: 4_002_969", "measured: 0"), "is 0, so nothing"));
    }

    TEST_CASE("an unknown id lists the known ones") {
        const std::string error = error_of([] { find_measurement("invlpg-dtlb-mises"); });
        CHECK(error.starts_with("nestwalk: unknown measurement: 'invlpg-dtlb-mises'; "));
        for (const std::string& id : measurement_ids()) CHECK(contains(error, id));
        CHECK(error.ends_with("did you mean 'invlpg-dtlb-misses'?"));
        CHECK(contains(error_of([] { find_measurement("../machines/zen3"); }),
                       "unknown measurement: '../machines/zen3'"));
    }

    TEST_CASE("files of the user's own configurations come first, and their errors name them") {
        namespace fs = std::filesystem;
        const fs::path own = fs::temp_directory_path() / ("nestwalk-" + std::to_string(getpid()));
        fs::create_directories(own / "validation");
        const auto write = [&](const std::string& name, const std::string& text) {
            std::ofstream(own / name) << text;
        };
        setenv("NESTWALK_CONFIGS", own.c_str(), 1);
        const std::string experiment =
            "title: t\nmachine: zen3\nworkload:\n  program: |\n    phase \"f\"\n    load 0x1000\n";
        write("vm.yaml", experiment);
        std::string text = kGood;
        text.replace(text.find("../e/vm.yaml"), 12, "../vm.yaml");
        text.replace(text.find("set: {system.vpid: off, stlb: {ways: 4}}, "), 42, "");
        write("validation/m.yaml", text);
        write("validation/other.yaml", kGood);

        const std::vector<std::string> ids = measurement_ids();
        for (const char* id : {"invlpg-dtlb-misses", "m", "other"})
            CHECK(std::count(ids.begin(), ids.end(), id) == 1);
        CHECK(error_of([] { validate(find_measurement("m")); }) ==
              (own / "validation/m.yaml").string() +
                  ":14:26: the experiment has no phase of that name: 's'; expected f");
        CHECK(error_of([] { find_measurement("other"); }) ==
              (own / "validation/other.yaml").string() +
                  ":1:5: id: 'm'; expected the name of the file, 'other'");
        fs::remove_all(own);
    }
}

}  // namespace
}  // namespace nestwalk
