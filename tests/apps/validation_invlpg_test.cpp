// invlpg-dtlb-misses: what the simulator has to show of these twelve figures.
#include "apps/experiment_file.h"
#include "apps/measurement_file.h"
#include "apps/simulation.h"
#include "apps/validation.h"
#include "tests/input_error.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

const std::string kSelective = "vm-host4k-guest2m/selective";

Validation invlpg() { return validate(find_measurement("invlpg-dtlb-misses")); }

std::map<std::string, FigurePrediction> by_id(const Validation& validation) {
    std::map<std::string, FigurePrediction> predictions;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at)
        predictions[validation.measurement.figures[at].id] = *validation.predictions[at];
    return predictions;
}

// Misses of each phase of an experiment whose program `edit` has changed.
template <class Edit>
std::map<std::string, std::uint64_t> misses(const std::string& name,
                                            const std::vector<std::string>& settings, Edit edit) {
    Experiment experiment =
        load_experiment(std::string(NESTWALK_SOURCE_DIR) + "/configs/experiments/" + name + ".yaml",
                        parse_overrides(settings));
    edit(std::get<Program>(experiment.workload).text);
    const RunResult result = run(experiment, {});
    std::map<std::string, std::uint64_t> found;
    for (const Phase& phase : result.statistics.phases())
        for (const std::size_t at : counters_named("stlb.misses.load"))
            found[phase.name] += phase.counters[at];
    return found;
}

// The version record, then each phase from its `phase` record up to the next.
std::vector<std::string> parts_of(const std::string& program) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (std::size_t at = program.find("phase \""); at != std::string::npos;
         at = program.find("phase \"", at + 1)) {
        parts.push_back(program.substr(start, at - start));
        start = at;
    }
    parts.push_back(program.substr(start) + "\n");
    return parts;
}

TEST_SUITE("validation of invlpg-dtlb-misses") {
    TEST_CASE("the figures are the twelve of the source") {
        const std::vector<double> expected{103008052, 93172, 102022557, 102038021, 103005083, 2888,
                                           4002969,   2556,  50000572,  789,       1000454,   537};
        const Measurement measurement = find_measurement("invlpg-dtlb-misses");
        for (const MeasuredRun& run : measurement.runs) CHECK(run.machine == "haswell-ep");
        std::vector<double> found;
        for (const MeasuredFigure& figure : measurement.figures)
            found.push_back(figure.measured.value);
        CHECK(found == expected);
    }

    TEST_CASE("the model counts, in a million passes, what the page sizes say") {
        // A pass misses on each translation after a full flush: 50 pages or one region, and in the
        // guest one page more. Fractured 2M pages are 50 translations. A flush that drops nothing
        // leaves the misses of the first pass.
        const std::map<std::string, double> expected{{"vm-host4k-guest4k/full", 51'000'000},
                                                     {"vm-host4k-guest4k/selective", 51},
                                                     {"vm-host4k-guest2m/full", 51'000'000},
                                                     {kSelective, 51'000'000},
                                                     {"vm-host2m-guest4k/full", 51'000'000},
                                                     {"vm-host2m-guest4k/selective", 51},
                                                     {"vm-host2m-guest2m/full", 2'000'000},
                                                     {"vm-host2m-guest2m/selective", 2},
                                                     {"bare-4k/full", 50'000'000},
                                                     {"bare-4k/selective", 50},
                                                     {"bare-2m/full", 1'000'000},
                                                     {"bare-2m/selective", 1}};
        std::map<std::string, double> found;
        for (const auto& [id, prediction] : by_id(invlpg())) found[id] = prediction.model;
        CHECK(found == expected);
    }

    TEST_CASE("one figure is calibrated, the other eleven are predicted") {
        const Validation validation = invlpg();
        for (const MeasuredFigure& figure : validation.measurement.figures) {
            CAPTURE(figure.id);
            CHECK(figure.role == (figure.id == "vm-host4k-guest4k/full" ? FigureRole::kCalibrated
                                                                        : FigureRole::kPredicted));
        }
        REQUIRE(validation.summaries.size() == 2);
        CHECK(validation.summaries[0].count == 5);
        CHECK(validation.summaries[1].count == 6);
        CHECK(validation.predictions[0]->error == doctest::Approx(0));
    }

    TEST_CASE("the counting factor is the calibration figure over its count") {
        const Validation validation = invlpg();
        CHECK(validation.measurement.assumptions[0].id == "counting-factor");
        CHECK(*validation.factors[0] == doctest::Approx(103008052.0 / 51e6).epsilon(1e-12));
    }

    TEST_CASE("full-flush figures that nothing was fitted to are within 1 %, bare metal included") {
        const auto predictions = by_id(invlpg());
        for (const char* id : {"vm-host4k-guest2m/full", "vm-host2m-guest4k/full",
                               "vm-host2m-guest2m/full", "bare-4k/full", "bare-2m/full"}) {
            CAPTURE(id);
            CHECK(std::abs(predictions.at(id).plain_error) < 0.01);
        }
    }

    TEST_CASE("guest 2M on host 4K: the selective flush costs exactly what the full one does") {
        const auto predictions = by_id(invlpg());
        CHECK(predictions.at(kSelective).model == predictions.at("vm-host4k-guest2m/full").model);
        CHECK(predictions.at(kSelective).value == predictions.at("vm-host4k-guest2m/full").value);
    }

    TEST_CASE("every other selective figure is at most 0.1 % of its full one") {
        const Validation validation = invlpg();
        int seen = 0;
        for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
            const MeasuredFigure& figure = validation.measurement.figures[at];
            if (!figure.share_of || figure.id == kSelective) continue;
            CAPTURE(figure.id);
            const MeasuredFigure& full = validation.measurement.figures[*figure.share_of];
            CHECK(full.run == figure.run);
            CHECK(full.phase == "full flush");
            CHECK(validation.predictions[at]->value <=
                  0.001 * validation.predictions[*figure.share_of]->value);
            CHECK(figure.measured.value * 1000 <= full.measured.value);
            ++seen;
        }
        CHECK(seen == 5);
    }

    TEST_CASE("bare metal uses neither the factor nor the outside page") {
        const Validation validation = invlpg();
        const auto predictions = by_id(validation);
        for (const char* id :
             {"bare-4k/full", "bare-4k/selective", "bare-2m/full", "bare-2m/selective"})
            CHECK(predictions.at(id).value == predictions.at(id).model);
        for (const MeasuredRun& run : validation.measurement.runs)
            CHECK(run.assumptions.size() == (run.id.starts_with("vm") ? 4 : 2));
    }

    TEST_CASE("a selective figure stays wrong by nearly all of itself, and is named unmodelled") {
        const auto predictions = by_id(invlpg());
        for (const char* id : {"vm-host4k-guest4k/selective", "bare-2m/selective"}) {
            CHECK(predictions.at(id).error < -0.99);
            CHECK(predictions.at(id).cause == ErrorCause::kUnmodelled);
        }
        CHECK_FALSE(predictions.at(kSelective).cause);
    }

    TEST_CASE("neither the order of the phases nor the other phase changes a count") {
        for (const char* host : {"4K", "2M"})
            for (const char* guest : {"4K", "2M"}) {
                const std::vector<std::string> settings{
                    std::string("system.host.page_size=") + host,
                    std::string("system.guest.page_size=") + guest};
                for (const char* name : {"invlpg-loop-vm", "invlpg-loop-bare"}) {
                    CAPTURE(name);
                    CAPTURE(settings);
                    const auto both = misses(name, settings, [](std::string&) {});
                    REQUIRE(both.size() == 2);
                    CHECK(misses(name, settings, [](std::string& program) {
                              const std::vector<std::string> parts = parts_of(program);
                              program = parts.at(0) + parts.at(2) + parts.at(1);
                          }) == both);
                    for (const std::size_t phase : {1U, 2U}) {
                        const auto alone = misses(name, settings, [&](std::string& program) {
                            const std::vector<std::string> parts = parts_of(program);
                            program = parts.at(0) + parts.at(phase);
                        });
                        REQUIRE(alone.size() == 1);
                        CHECK(alone.begin()->second == both.at(alone.begin()->first));
                    }
                }
            }
    }
}

}  // namespace
}  // namespace nestwalk
