// What `nestwalk validate` prints, and that the documentation shows the same.
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/measurement_file.h"
#include "apps/parallel.h"
#include "apps/text_file.h"
#include "apps/validation_report.h"
#include "tests/input_error.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace nestwalk {
namespace {

std::string report(ReportFormat format) {
    return report_validations({validate(find_measurement("invlpg-dtlb-misses"))}, format);
}

// With line breaks as spaces, as running text reads.
std::string flat(std::string text) {
    for (char& c : text) c = c == '\n' ? ' ' : c;
    return text;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    const std::size_t to = text.find(end, from);
    REQUIRE(to != std::string::npos);
    return text.substr(from + begin.size(), to - from - begin.size());
}

TEST_SUITE("validation reports") {
    TEST_CASE("the documentation shows what the program prints") {
        const std::string document =
            read_text_file(std::string(NESTWALK_SOURCE_DIR) + "/docs/validation.md");
        const std::vector<Validation> all =
            validate(find_measurements({}), {.threads = hardware_threads()});
        CHECK_MESSAGE(between(document, "<!-- begin nestwalk validate -->\n",
                              "<!-- end nestwalk validate -->\n") ==
                          "```text\n" +
                              report_validations(all, ReportFormat::kText, ReportScope::kAll) +
                              "```\n",
                      "script/update-docs writes it anew");
    }

    TEST_CASE("the text begins with what was measured, by whom, and what is assumed") {
        const std::string text = report(ReportFormat::kText);
        CHECK(text.starts_with("Predicted is what the simulator says"));
        CHECK(contains(text, "\n\ninvlpg-dtlb-misses: dTLB misses of a loop"));
        CHECK(contains(text, "Nadav Amit (\"x86: strange behavior of invlpg\""));
        CHECK(contains(flat(text), "Machine: haswell-ep. Statistic: stlb.misses.load."));
        const std::size_t table = text.find("figure  ");
        for (const char* assumption : {"- counting-factor (fitted constant: 2.0198 = measured / "
                                       "model of vm-host4k-guest4k/full)",
                                       "- outside-page (discrete choice)"})
            CHECK(text.find(assumption) < table);
    }

    TEST_CASE("a wrong prediction stays in the table with its error, cause and share") {
        const std::string text = report(ReportFormat::kText);
        CHECK(contains(text,
                       "vm-host4k-guest4k/selective       93,172          51          103  "
                       "-99.889 %  predicted  unmodelled\n"));
        CHECK(contains(text, "vm-host4k-guest4k/selective     0.0905 %    0.0001 %    +93,069"));
        CHECK(contains(flat(text), "the remainder is background that the model does not contain"));
    }

    TEST_CASE("the closing lines count constants and choices, and say what is left out") {
        const std::string text = flat(report(ReportFormat::kText));
        CHECK(contains(text,
                       "1 fitted constant (counting-factor) and 3 discrete choices "
                       "(outside-page, iteration-count, machine) against 11 predicted figures; "
                       "calibrated: 1, derived: 0, input: 0, not modelled: 0, of 12 figures."));
        CHECK(contains(text,
                       "Left out of leave-one-out, because fitted to a single figure: "
                       "counting-factor (vm-host4k-guest4k/full)."));
    }

    TEST_CASE("groups are summarised apart") {
        const std::string text = report(ReportFormat::kText);
        CHECK(contains(text,
                       "full-flush                                  5   0.045 %          "
                       "0.966 %   0.966 %     +0.367 %\n"));
        CHECK(contains(text,
                       "selective-flush                             6  98.124 %         "
                       "99.889 %  99.889 %    -81.448 %\n"));
    }

    TEST_CASE("JSON has the figures, the assumptions and the experiments") {
        const nlohmann::json json = nlohmann::json::parse(report(ReportFormat::kJson));
        REQUIRE(json["measurements"].size() == 1);
        const nlohmann::json& validation = json["measurements"][0];
        CHECK(validation["roles"]["predicted"] == 11);
        CHECK(validation["roles"]["calibrated"] == 1);
        CHECK(validation["figures"].size() == 12);
        CHECK(validation["figures"][0]["role"] == "calibrated");
        CHECK(validation["figures"][3]["share"]["predicted"] == 1.0);
        CHECK(validation["assumptions"][0]["fitted_to"] == "vm-host4k-guest4k/full");
        CHECK(validation["assumptions"][1]["kind"] == "discrete choice");
        CHECK(validation["groups"][1]["predicted_figures"] == 6);
        CHECK(validation["runs"][0]["experiment"]["system"]["guest"]["page_size"] == "4K");
    }

    TEST_CASE("CSV has one row a figure, of as many cells as the header") {
        std::istringstream lines(report(ReportFormat::kCsv));
        std::vector<std::string> rows;
        for (std::string line; std::getline(lines, line);) rows.push_back(line);
        REQUIRE(rows.size() == 13);
        for (const std::string& row : rows) CHECK(std::count(row.begin(), row.end(), ',') == 16);
        CHECK(rows[0].starts_with(
            "measurement,run,figure,group,role,alternative,unit,x,measured,model,"));
        CHECK(
            rows[1].starts_with("invlpg-dtlb-misses,vm-host4k-guest4k,full,full-flush,calibrated,,"
                                "dTLB misses,,103008052,51000000.000,103008052.000,0.000,0,0,"));
    }

    TEST_CASE("--output writes the table and experiments that can be run again") {
        namespace fs = std::filesystem;
        const fs::path directory =
            fs::temp_directory_path() / ("nestwalk-out-" + std::to_string(getpid()));
        CHECK(validate_command({.ids = {"invlpg-dtlb-misses", "invlpg-dtlb-misses"},
                                .format = ReportFormat::kText,
                                .output = directory.string()}) == kExitDone);
        CHECK(read_text_file((directory / "validation.txt").string()) ==
              report(ReportFormat::kText));
        const Validation validation = validate(find_measurement("invlpg-dtlb-misses"));
        REQUIRE(validation.experiments.size() == 6);
        for (const CaseExperiment& each : validation.experiments) {
            const std::string run = validation.measurement.runs[each.run_case.run].id;
            const fs::path file = directory / "invlpg-dtlb-misses" / (run + ".yaml");
            CHECK(load_experiment(file.string()) == *each.experiment);
        }
        fs::remove_all(directory);
    }
}

}  // namespace
}  // namespace nestwalk
