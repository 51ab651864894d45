#include "apps/validation_text.h"
#include "apps/number_format.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

std::string error_text(double error) { return std::isfinite(error) ? percent(error, 3) : "n/a"; }

std::string share_text(double part, double whole) {
    return fmt::format("{:.4f} %", 100 * part / whole);
}

std::string rounded(double value) {
    return with_thousands(static_cast<std::uint64_t>(std::llround(value)));
}

std::string signed_rounded(double value) {
    return (value < 0 ? "-" : "+") + rounded(std::abs(value));
}

std::string count_of(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string users_of(const Measurement& measurement, std::size_t assumption) {
    std::vector<std::string> users;
    for (const MeasuredRun& run : measurement.runs)
        if (std::count(run.assumptions.begin(), run.assumptions.end(), assumption) != 0)
            users.push_back(run.id);
    if (users.size() == measurement.runs.size()) return "all runs";
    return users.empty() ? "no run" : "the runs " + joined(users);
}

std::string heading(const Measurement& measurement) {
    const MeasurementSource& source = measurement.source;
    return wrapped(measurement.id + ": " + measurement.title) +
           wrapped(fmt::format("Measured by {} (\"{}\", {}, {}; {}). Machine: {}. Unit: {}.",
                               source.author, source.title, source.where, source.year,
                               source.message, measurement.machine, measurement.unit)) +
           "\n" +
           wrapped(fmt::format(
               "Model is what the simulator counted ({}); predicted is that, times the fitted "
               "constants that the run uses. Error is (predicted - measured) / measured with the "
               "jitter of the measurement, {} here, taken off; plain error leaves it on. "
               "Calibrated: "
               "a constant was fitted to the figure, so its error says nothing. A prediction more "
               "than {:.0f} % off has a cause.",
               measurement.statistic, with_thousands(measurement.jitter), 100 * kOutlierError));
}

std::string assumptions_text(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    if (measurement.assumptions.empty()) return "Nothing is assumed besides the model.\n";
    std::string text = "Assumed besides the model, by people who had seen the figures:\n";
    for (std::size_t at = 0; at < measurement.assumptions.size(); ++at) {
        const Assumption& assumption = measurement.assumptions[at];
        const std::string kind =
            assumption.fitted_to ? fmt::format("fitted constant: {:.4f} = measured / model of {}",
                                               *validation.factors[at],
                                               measurement.figures[*assumption.fitted_to].id)
                                 : "discrete choice";
        text += wrapped(fmt::format("- {} ({}). {} Used by {}.", assumption.id, kind,
                                    assumption.about, users_of(measurement, at)),
                        2);
    }
    return text;
}

std::string last_column(const MeasuredFigure& figure,
                        const std::optional<FigurePrediction>& prediction) {
    if (!prediction) return figure.reason;
    return prediction->cause ? std::string(word_for(*prediction->cause, kErrorCauseWords)) : "";
}

TextTable figures_table(const Validation& validation, std::size_t group) {
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                     Align::kRight, Align::kLeft, Align::kLeft});
    table.add({"figure", "measured", "model", "predicted", "error", "plain error", "role",
               "cause or reason"});
    table.add_rule();
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        const std::optional<FigurePrediction>& prediction = validation.predictions[at];
        if (figure.group != group) continue;
        std::vector<std::string> row{figure.id, with_thousands(figure.measured), "", "", "", ""};
        if (prediction)
            row = {figure.id,
                   with_thousands(figure.measured),
                   with_thousands(prediction->count),
                   rounded(prediction->value),
                   error_text(prediction->error),
                   error_text(prediction->plain_error)};
        row.emplace_back(word_for(figure.role, kFigureRoleWords));
        row.push_back(last_column(figure, prediction));
        table.add(std::move(row));
    }
    return table;
}

/// The figures of the group that have another to be compared with; empty without any.
std::string shares_text(const Validation& validation, std::size_t group) {
    const std::vector<MeasuredFigure>& figures = validation.measurement.figures;
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
    table.add({"as a share of another figure", "measured", "predicted", "remainder", "of"});
    table.add_rule();
    bool any = false;
    for (std::size_t at = 0; at < figures.size(); ++at) {
        const MeasuredFigure& figure = figures[at];
        if (figure.group != group || !figure.share_of || !validation.predictions[at]) continue;
        const std::optional<FigurePrediction>& whole = validation.predictions[*figure.share_of];
        const double predicted = validation.predictions[at]->value;
        const auto measured = static_cast<double>(figure.measured);
        const MeasuredFigure& other = figures[*figure.share_of];
        table.add({figure.id, share_text(measured, static_cast<double>(other.measured)),
                   whole && whole->value > 0 ? share_text(predicted, whole->value) : "n/a",
                   signed_rounded(measured - predicted), other.id});
        any = true;
    }
    if (!any) return "";
    const std::string& remainder = validation.measurement.groups[group].remainder;
    return "\n" + table.to_string() + (remainder.empty() ? "" : wrapped(remainder));
}

std::string counts_line(const Measurement& measurement) {
    std::vector<std::string> constants;
    std::vector<std::string> choices;
    for (const Assumption& assumption : measurement.assumptions)
        (assumption.fitted_to ? constants : choices).push_back(assumption.id);
    const auto named = [](const std::vector<std::string>& ids, const std::string& noun) {
        return count_of(ids.size(), noun) + (ids.empty() ? "" : " (" + joined(ids) + ")");
    };
    return wrapped(
        fmt::format("{} and {} against {}; calibrated: {}, not modelled: {}, of {}.",
                    named(constants, "fitted constant"), named(choices, "discrete choice"),
                    count_of(count_role(measurement, FigureRole::kPredicted), "predicted figure"),
                    count_role(measurement, FigureRole::kCalibrated),
                    count_role(measurement, FigureRole::kNotModelled),
                    count_of(measurement.figures.size(), "figure")));
}

std::string leave_one_out(const Measurement& measurement) {
    std::vector<std::string> left_out;
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to)
            left_out.push_back(fmt::format("{} is fitted to a single figure, {}, and is left out",
                                           assumption.id,
                                           measurement.figures[*assumption.fitted_to].id));
    if (left_out.empty()) return "Leave-one-out: no constant was fitted.\n";
    return wrapped(
        fmt::format("Leave-one-out: {}; no other constant was fitted.", fmt::join(left_out, "; ")));
}

std::string summary_text(const Validation& validation) {
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
    table.add({"absolute errors of predicted figures", "figures", "median", "90th percentile",
               "largest"});
    table.add_rule();
    const auto unsigned_percent = [](double error) {
        return std::isfinite(error) ? fmt::format("{:.3f} %", 100 * error) : "n/a";
    };
    for (std::size_t group = 0; group < validation.summaries.size(); ++group) {
        const ErrorSummary& summary = validation.summaries[group];
        std::vector<std::string> row{validation.measurement.groups[group].id,
                                     std::to_string(summary.count)};
        if (summary.count > 0)
            for (const double error : {summary.median, summary.percentile_90, summary.largest})
                row.push_back(unsigned_percent(error));
        table.add(std::move(row));
    }
    return table.to_string();
}

}  // namespace

std::string validation_text(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    std::string text = heading(measurement) + "\n" + assumptions_text(validation);
    for (std::size_t group = 0; group < measurement.groups.size(); ++group) {
        text +=
            "\n" + wrapped(measurement.groups[group].id + ": " + measurement.groups[group].title);
        text += figures_table(validation, group).to_string() + shares_text(validation, group);
    }
    text += "\n" + summary_text(validation) + "\n" + counts_line(measurement);
    return text + leave_one_out(measurement);
}

}  // namespace nestwalk
