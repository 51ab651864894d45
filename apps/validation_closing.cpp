#include "apps/validation_closing.h"
#include "apps/latency.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_words.h"

#include <algorithm>
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
        if (role.meaning != FigureRole::kPredicted &&
            (role.meaning != FigureRole::kPredictedBand || !measurement.locks.empty()))
            text += fmt::format("{}: {}, ", role.word, count_role(measurement, role.meaning));
    if (const std::size_t undecided = count_undecided(measurement); undecided > 0)
        text += fmt::format("under alternatives of which none was chosen: {}, ", undecided);
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

std::string left_out_text(const Measurement& measurement, const LeaveOneOut& left_out) {
    const FittedConstant& constant = measurement.constants[left_out.constant];
    const ErrorSummary& errors = left_out.errors;
    return wrapped(fmt::format(
        "Leave-one-out: {} is {} when it is solved from {} and not from {}, which gives {}; {} of "
        "its runs then {}.",
        constant.id, latency_node(left_out.value).text,
        measurement.figures[*constant.alternative_fit].id,
        measurement.figures[constant.fitted_to].id, latency_node(constant.value).text,
        count_of(errors.count, "figure"),
        errors.count == 0 ? "depend on it"
                          : fmt::format("have a median error of {:.1f} % and a largest of {:.1f} %",
                                        100 * errors.median, 100 * errors.largest)));
}

std::string leave_one_out_text(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    std::vector<std::string> without;
    const auto add = [&](const std::string& id, std::size_t figure) {
        without.push_back(id + " (" + measurement.figures[figure].id + ")");
    };
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to) add(assumption.id, *assumption.fitted_to);
    for (const FittedConstant& constant : measurement.constants)
        if (!constant.alternative_fit) add(constant.id, constant.fitted_to);
    for (const MeasuredLock& lock : measurement.locks) {
        add(lock.id + ": gap", lock.fitted.blocked_share);
        add(lock.id + ": geometric share", lock.fitted.mean_block);
    }
    std::string text;
    for (const LeaveOneOut& left_out : validation.left_out)
        text += left_out_text(measurement, left_out);
    if (!without.empty())
        text += wrapped("Left out of leave-one-out, because fitted to a single figure: " +
                        comma_list(without) + ".");
    return text.empty() ? "Leave-one-out: no constant was fitted.\n" : text;
}

void add_rows(TextTable& table, const Validation& validation, const std::string& prefix) {
    for (std::size_t at = 0; at < validation.summaries.size(); ++at) {
        const ErrorSummary& summary = validation.summaries[at];
        const FigureGroup& group = validation.measurement.groups[at];
        std::vector<std::string> row{prefix + group.id, std::to_string(summary.count)};
        if (summary.count > 0) {
            for (const double error : {summary.median, summary.percentile_90, summary.largest})
                row.push_back(magnitude_text(group, error));
            row.push_back(error_text(group, summary.signed_mean));
            if (group.scale == ErrorScale::kUnit) row.push_back(group.unit);
        }
        table.add(std::move(row));
    }
}

}  // namespace

FitCounts fit_counts(const Measurement& measurement) {
    FitCounts counts{};
    for (const Assumption& assumption : measurement.assumptions)
        (assumption.fitted_to ? counts.constants : counts.choices).push_back(assumption.id);
    for (const FittedConstant& constant : measurement.constants)
        counts.constants.push_back(constant.id);
    for (const MeasuredLock& lock : measurement.locks)
        counts.constants.insert(counts.constants.end(),
                                {lock.id + ": gap", lock.id + ": geometric share"});
    for (const MeasuredRun& run : measurement.runs)
        if (run.chosen) counts.choices.push_back(run.id + ": " + run.alternatives[*run.chosen].id);
    return counts;
}

std::size_t count_undecided(const Measurement& measurement) {
    return static_cast<std::size_t>(std::count_if(
        measurement.figures.begin(), measurement.figures.end(), [&](const MeasuredFigure& figure) {
            return figure.role != FigureRole::kNotModelled && !chosen_case(measurement, figure.run);
        }));
}

std::string summary_text(std::span<const Validation> validations) {
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                     Align::kRight, Align::kLeft});
    table.add({"absolute errors of predicted figures", "figures", "median", "90th percentile",
               "largest", "signed mean", ""});
    table.add_rule();
    for (const Validation& validation : validations)
        add_rows(table, validation, validations.size() == 1 ? "" : validation.measurement.id + "/");
    return table.to_string();
}

std::string closing_text(const Validation& validation) {
    return summary_text({&validation, 1}) + "\n" + counts_line(validation) +
           leave_one_out_text(validation);
}

}  // namespace nestwalk
