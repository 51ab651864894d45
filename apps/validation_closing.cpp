#include "apps/validation_closing.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_words.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

std::string named(const std::vector<std::string>& ids, const std::string& noun) {
    return count_of(ids.size(), noun) + (ids.empty() ? "" : " (" + comma_list(ids) + ")");
}

std::string roles_text(const Measurement& measurement) {
    std::string text;
    for (const Keyword<FigureRole>& role : kFigureRoleWords)
        if (role.meaning != FigureRole::kPredicted)
            text += fmt::format("{}: {}, ", role.word, count_role(measurement, role.meaning));
    return text;
}

std::string counts_line(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    const FitCounts counts = fit_counts(measurement);
    std::size_t predicted = 0;
    for (const ErrorSummary& summary : validation.summaries) predicted += summary.count;
    return wrapped(fmt::format(
        "{} and {} against {}; {}of {}.", named(counts.constants, "fitted constant"),
        named(counts.choices, "discrete choice"), count_of(predicted, "predicted figure"),
        roles_text(measurement), count_of(measurement.figures.size(), "figure")));
}

std::string leave_one_out(const Measurement& measurement) {
    std::vector<std::string> left_out;
    const auto add = [&](const std::string& id, std::size_t figure) {
        left_out.push_back(fmt::format("{} is fitted to a single figure, {}, and is left out", id,
                                       measurement.figures[figure].id));
    };
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to) add(assumption.id, *assumption.fitted_to);
    for (const FittedConstant& constant : measurement.constants)
        add(constant.id, constant.fitted_to);
    if (left_out.empty()) return "Leave-one-out: no constant was fitted.\n";
    return wrapped(
        fmt::format("Leave-one-out: {}; no other constant was fitted.", fmt::join(left_out, "; ")));
}

std::string summary_text(const Validation& validation) {
    TextTable table(
        {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
    table.add({"absolute errors of predicted figures", "figures", "median", "90th percentile",
               "largest", "signed mean"});
    table.add_rule();
    for (std::size_t at = 0; at < validation.summaries.size(); ++at) {
        const ErrorSummary& summary = validation.summaries[at];
        const FigureGroup& group = validation.measurement.groups[at];
        std::vector<std::string> row{group.id, std::to_string(summary.count)};
        if (summary.count > 0) {
            for (const double error : {summary.median, summary.percentile_90, summary.largest})
                row.push_back(magnitude_text(group, error));
            row.push_back(error_text(group, summary.signed_mean));
        }
        table.add(std::move(row));
    }
    return table.to_string();
}

}  // namespace

FitCounts fit_counts(const Measurement& measurement) {
    FitCounts counts{};
    for (const Assumption& assumption : measurement.assumptions)
        (assumption.fitted_to ? counts.constants : counts.choices).push_back(assumption.id);
    for (const FittedConstant& constant : measurement.constants)
        counts.constants.push_back(constant.id);
    for (const MeasuredRun& run : measurement.runs)
        if (run.chosen) counts.choices.push_back(run.id + ": " + run.alternatives[*run.chosen].id);
    return counts;
}

std::string closing_text(const Validation& validation) {
    return summary_text(validation) + "\n" + counts_line(validation) +
           leave_one_out(validation.measurement);
}

}  // namespace nestwalk
