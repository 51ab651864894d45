#include "apps/validation_text.h"
#include "apps/footnotes.h"
#include "apps/number_format.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_closing.h"
#include "apps/validation_curves.h"
#include "apps/validation_hypotheses.h"
#include "apps/validation_locks.h"
#include "apps/validation_preamble.h"
#include "apps/validation_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

/// Columns that say something in this group only.
struct Columns {
    bool model{};        ///< some prediction is not what the model says
    bool plain_error{};  ///< there is jitter
};

Columns columns_of(const Validation& validation, std::size_t group) {
    Columns columns{};
    columns.plain_error = validation.measurement.groups[group].jitter.value > 0;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const std::optional<FigurePrediction>& prediction = validation.predictions[at];
        if (validation.measurement.figures[at].group == group && prediction)
            columns.model = columns.model || prediction->model != prediction->value;
    }
    return columns;
}

std::string operands(const Measurement& measurement, const MeasuredFigure& figure) {
    std::vector<std::string> names;
    for (const std::size_t at : figure.of) {
        const std::string& id = measurement.figures[at].id;
        names.push_back(id.substr(id.find('/') + 1));
    }
    const std::vector<std::string> rest(names.begin() + 1, names.end());
    return names.front() + fmt::format(" less {}", fmt::join(rest, ", "));
}

/// What was fitted to the figure that is at `at`.
std::string fitted(const Measurement& measurement, std::size_t at) {
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to == at) return assumption.id;
    for (const FittedConstant& constant : measurement.constants)
        if (constant.fitted_to == at) return constant.id;
    return measurement.figures[at].lock;
}

/// How wide a band is, and why it is off where it is.
std::string width(const MeasuredFigure& figure, const FigurePrediction& prediction) {
    const double width = prediction.band->high - prediction.band->low;
    return fmt::format(
        "{:.0f} % wide{}", 100 * width / figure.measured.value,
        prediction.cause ? fmt::format(", {}", word_for(*prediction.cause, kErrorCauseWords)) : "");
}

std::string note(const Validation& validation, std::size_t at) {
    const Measurement& measurement = validation.measurement;
    const MeasuredFigure& figure = measurement.figures[at];
    const std::optional<FigurePrediction>& prediction = validation.predictions[at];
    if (!figure.reason.empty()) return figure.reason;
    if (!figure.of.empty()) return operands(measurement, figure);
    if (!figure.key.empty()) return dotted(figure.key);
    if (prediction && prediction->band) return width(figure, *prediction);
    if (figure.role == FigureRole::kInput && !figure.lock.empty()) return "given to " + figure.lock;
    if (!chosen_case(measurement, figure.run)) return "see its alternatives";
    if (prediction && prediction->cause)
        return std::string(word_for(*prediction->cause, kErrorCauseWords));
    return fitted(measurement, at);
}

std::vector<std::string> numbers(const FigureGroup& group, const Columns& columns, int decimals,
                                 const std::optional<FigurePrediction>& prediction) {
    std::vector<std::string> cells;
    const auto add = [&](const std::string& text) { cells.push_back(prediction ? text : ""); };
    const FigurePrediction shown = prediction.value_or(FigurePrediction{});
    if (columns.model) add(with_thousands(shown.model, decimals));
    add(shown.band ? with_thousands(shown.band->low, decimals) + " to " +
                         with_thousands(shown.band->high, decimals)
                   : with_thousands(shown.value, decimals));
    add(error_text(group, scaled_error(group, shown)));
    const bool in_unit = group.scale == ErrorScale::kUnit;
    if (columns.plain_error) add(error_text(group, in_unit ? shown.difference : shown.plain_error));
    return cells;
}

std::string figures_table(const Validation& validation, std::size_t group) {
    Footnotes footnotes;
    const Columns columns = columns_of(validation, group);
    std::vector<std::string> header{"figure", "measured"};
    if (columns.model) header.emplace_back("model");
    header.insert(header.end(), {"predicted", "error"});
    if (columns.plain_error) header.emplace_back("plain error");
    std::vector<Align> alignment(header.size(), Align::kRight);
    alignment.front() = Align::kLeft;
    alignment.insert(alignment.end(), {Align::kLeft, Align::kLeft});
    header.insert(header.end(), {"role", "note"});
    TextTable table(alignment);
    table.add(std::move(header));
    table.add_rule();
    const int decimals = shown_decimals(validation, group);
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        if (figure.group != group) continue;
        std::vector<std::string> row{figure.id, measured_text(figure.measured, decimals)};
        const std::vector<std::string> cells = numbers(
            validation.measurement.groups[group], columns, decimals, validation.predictions[at]);
        row.insert(row.end(), cells.begin(), cells.end());
        row.emplace_back(word_for(figure.role, kFigureRoleWords));
        row.push_back(footnotes.mark(note(validation, at)));
        table.add(std::move(row));
    }
    return table.to_string() + footnotes.to_string();
}

std::string share_text(double part, double whole) {
    return fmt::format("{:.4f} %", 100 * part / whole);
}

/// The figures of the group that have another to be compared with; empty without any.
std::string shares_text(const Validation& validation, std::size_t group) {
    const std::vector<MeasuredFigure>& figures = validation.measurement.figures;
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
    table.add({"as a share of another figure", "measured", "predicted", "remainder", "of"});
    table.add_rule();
    const int decimals = shown_decimals(validation, group);
    bool any = false;
    for (std::size_t at = 0; at < figures.size(); ++at) {
        const MeasuredFigure& figure = figures[at];
        const std::optional<FigurePrediction>& prediction = validation.predictions[at];
        if (figure.group != group || !figure.share_of || !prediction) continue;
        const std::optional<FigurePrediction>& whole = validation.predictions[*figure.share_of];
        const MeasuredFigure& other = figures[*figure.share_of];
        table.add({figure.id, share_text(figure.measured.value, other.measured.value),
                   whole && whole->value > 0 ? share_text(prediction->value, whole->value) : "n/a",
                   signed_number(-prediction->difference, decimals), other.id});
        any = true;
    }
    if (!any) return "";
    const std::string& remainder = validation.measurement.groups[group].remainder;
    return "\n" + table.to_string() + (remainder.empty() ? "" : wrapped(remainder));
}

std::string group_text(const Validation& validation, std::size_t at) {
    const FigureGroup& group = validation.measurement.groups[at];
    std::string text =
        wrapped(fmt::format("{}: {} ({}{}{})", group.id, group.title, group.unit,
                            group.jitter.value > 0 ? ", jitter " + to_text(group.jitter) : "",
                            group.scale == ErrorScale::kUnit ? ", errors in this unit" : ""));
    if (group.source) text += wrapped(source_text(*group.source));
    return text + figures_table(validation, at) + shares_text(validation, at);
}

}  // namespace

std::string validation_legend() {
    return wrapped(fmt::format(
        "Predicted is what the simulator says, times the factors that the run uses; where a group "
        "uses one, model is the number without it. Error is (predicted - measured) / measured with "
        "the jitter of the measurement taken off; where there is jitter, plain error leaves it on. "
        "Calibrated: a constant was fitted to the figure. Derived: a difference of other figures. "
        "Input: a value that the model is given. The errors of these three say nothing and are not "
        "summarised; nor is a band, a prediction that is a range: its error is 0 inside it. A "
        "predicted figure more than {:.0f} % off has a cause.",
        100 * kOutlierError));
}

std::string validation_text(const Validation& validation) {
    std::string text = preamble_text(validation);
    for (std::size_t group = 0; group < validation.measurement.groups.size(); ++group)
        text += "\n" + group_text(validation, group);
    return text + locks_text(validation) + curves_text(validation) + hypotheses_text(validation) +
           "\n" + closing_text(validation);
}

}  // namespace nestwalk
