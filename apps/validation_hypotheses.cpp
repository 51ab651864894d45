#include "apps/validation_hypotheses.h"
#include "apps/number_format.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_words.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

std::string heading(const MeasuredRun& run) {
    std::string text = wrapped(fmt::format(
        "{} under each of {} alternatives{}", run.id, run.alternatives.size(),
        run.chosen ? ", of which " + run.alternatives[*run.chosen].id + " was chosen" : ""));
    for (const Alternative& alternative : run.alternatives)
        text += wrapped("- " + alternative.id + ": " + alternative.about, 2);
    return text;
}

TextTable table_of(const Validation& validation, const HypothesisTest& test) {
    const Measurement& measurement = validation.measurement;
    std::vector<std::string> header{"figure", "measured"};
    std::vector<Align> columns{Align::kLeft, Align::kRight};
    for (const Alternative& alternative : measurement.runs[test.run].alternatives) {
        header.insert(header.end(), {alternative.id, "error"});
        columns.insert(columns.end(), {Align::kRight, Align::kRight});
    }
    columns.push_back(Align::kLeft);
    header.emplace_back("role");
    TextTable table(columns);
    table.add(std::move(header));
    table.add_rule();
    for (std::size_t at = 0; at < measurement.figures.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.run != test.run) continue;
        const int decimals = shown_decimals(validation, figure.group);
        std::vector<std::string> row{figure.id, measured_text(figure.measured, decimals)};
        for (const Hypothesis& hypothesis : test.hypotheses) {
            const std::optional<FigurePrediction>& prediction = hypothesis.predictions[at];
            row.push_back(prediction ? with_thousands(prediction->value, decimals) : "");
            row.push_back(prediction ? percent(prediction->error, 1) : "");
        }
        row.emplace_back(word_for(figure.role, kFigureRoleWords));
        table.add(std::move(row));
    }
    return table;
}

std::string factor_text(double factor) {
    return std::isfinite(factor) ? fmt::format("up to a factor of {:.2f}", factor)
                                 : "no factor at all";
}

std::string off_by(const Measurement& measurement, const Hypothesis& hypothesis) {
    if (hypothesis.largest_factor == 1) return "does not miss";
    return fmt::format(
        "misses by {} ({}), largest error {:.1f} %", factor_text(hypothesis.largest_factor),
        measurement.figures[hypothesis.worst_figure].id, 100 * hypothesis.largest_error);
}

/// What was fitted under the chosen alternative holds under the others too, where it may do them
/// wrong.
std::string constants_text(const Measurement& measurement, std::size_t run) {
    std::vector<std::string> ids;
    for (const FittedConstant& constant : measurement.constants)
        if (std::count(constant.runs.begin(), constant.runs.end(), run) != 0)
            ids.push_back(constant.id);
    if (ids.empty()) return "";
    return fmt::format(" {} {} the same value under each.", comma_list(ids),
                       ids.size() == 1 ? "has" : "have");
}

std::string verdict(const Validation& validation, const HypothesisTest& test) {
    const Measurement& measurement = validation.measurement;
    const MeasuredRun& run = measurement.runs[test.run];
    std::string text = fmt::format("{} fits best: it {}.", run.alternatives[test.best].id,
                                   off_by(measurement, test.hypotheses[test.best]));
    for (std::size_t at = 0; at < test.hypotheses.size(); ++at)
        if (at != test.best)
            text += fmt::format(" {} {}.", run.alternatives[at].id,
                                off_by(measurement, test.hypotheses[at]));
    text += constants_text(measurement, test.run);
    if (!run.chosen) text += " None was chosen, so these figures are in no group.";
    return wrapped(text);
}

}  // namespace

std::string hypotheses_text(const Validation& validation) {
    std::string text;
    for (const HypothesisTest& test : validation.hypothesis_tests)
        text += "\n" + heading(validation.measurement.runs[test.run]) +
                table_of(validation, test).to_string() + verdict(validation, test);
    return text;
}

}  // namespace nestwalk
