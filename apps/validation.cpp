#include "apps/validation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwalk {

namespace {

using Factors = std::vector<std::optional<double>>;

double factor_of(const MeasuredRun& run, const Factors& factors) {
    double product = 1;
    for (const std::size_t assumption : run.assumptions) product *= factors[assumption].value_or(1);
    return product;
}

FigurePrediction judged(const Measurement& measurement, const MeasuredFigure& figure, double model,
                        double value) {
    const double measured = figure.measured.value;
    const double jitter = measurement.groups[figure.group].jitter.value;
    FigurePrediction prediction{};
    prediction.model = model;
    prediction.value = value;
    prediction.difference = value - measured;
    prediction.beyond_jitter = beyond_jitter(value, measured, jitter);
    prediction.plain_error = plain_error(value, measured);
    prediction.error = jitter_error(value, measured, jitter);
    if (figure.role == FigureRole::kPredicted && std::abs(prediction.error) > kOutlierError)
        prediction.cause = figure.cause.value_or(ErrorCause::kUnknown);
    return prediction;
}

// The first figure less the others; nothing where one of them has no prediction.
std::optional<FigurePrediction> derived(const Measurement& measurement,
                                        const MeasuredFigure& figure,
                                        const Predictions& predictions) {
    double model = 0;
    double value = 0;
    double sign = 1;
    for (const std::size_t at : figure.of) {
        if (!predictions[at]) return std::nullopt;
        model += sign * predictions[at]->model;
        value += sign * predictions[at]->value;
        sign = -1;
    }
    return judged(measurement, figure, model, value);
}

ErrorSummary summarize_group(const Validation& validation, std::size_t group) {
    std::vector<double> errors;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        const std::optional<FigurePrediction>& prediction = validation.predictions[at];
        if (figure.group == group && figure.role == FigureRole::kPredicted && prediction)
            errors.push_back(scaled_error(validation.measurement.groups[group], *prediction));
    }
    return summarize(std::move(errors));
}

}  // namespace

Factors fit_factors(const Measurement& measurement, const FigureValues& values) {
    Factors factors;
    for (const Assumption& assumption : measurement.assumptions) {
        factors.emplace_back();
        if (!assumption.fitted_to) continue;
        const MeasuredFigure& figure = measurement.figures[*assumption.fitted_to];
        const double value = values[*assumption.fitted_to].value_or(0);
        if (value == 0)
            throw InputError(figure.phase_location, "the model counts 0 " + figure.statistic +
                                                        " for " + nestwalk::quoted(figure.id) +
                                                        ", so no factor can be fitted to it");
        factors.back() = figure.measured.value / value;
    }
    return factors;
}

Predictions predict_figures(const Measurement& measurement, const FigureValues& values,
                            const Factors& factors) {
    Predictions predictions(values.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (!figure.of.empty()) {
            predictions[at] = derived(measurement, figure, predictions);
        } else if (values[at]) {
            const double factor =
                figure.is_counted() ? factor_of(measurement.runs[figure.run], factors) : 1;
            predictions[at] = judged(measurement, figure, *values[at], factor * *values[at]);
        }
    }
    return predictions;
}

double scaled_error(const FigureGroup& group, const FigurePrediction& prediction) {
    return group.scale == ErrorScale::kUnit ? prediction.beyond_jitter : prediction.error;
}

Validation predict(Measurement measurement, const FigureValues& values) {
    Validation validation{};
    validation.factors = fit_factors(measurement, values);
    validation.predictions = predict_figures(measurement, values, validation.factors);
    validation.measurement = std::move(measurement);
    for (std::size_t group = 0; group < validation.measurement.groups.size(); ++group)
        validation.summaries.push_back(summarize_group(validation, group));
    return validation;
}

Validation validate(Measurement measurement, const std::atomic<bool>* stop) {
    std::vector<CaseExperiment> experiments;
    for (const RunCase& run_case : run_cases(measurement))
        experiments.push_back({run_case, load_case(measurement, run_case)});
    FigureValues values(measurement.figures.size());
    for (const CaseExperiment& each : experiments) {
        if (each.run_case.alternative != measurement.runs[each.run_case.run].chosen) continue;
        merge(values, figure_values(measurement, each.run_case, each.experiment, stop));
    }
    Validation validation = predict(std::move(measurement), values);
    validation.experiments = std::move(experiments);
    return validation;
}

std::size_t count_role(const Measurement& measurement, FigureRole role) {
    return static_cast<std::size_t>(
        std::count_if(measurement.figures.begin(), measurement.figures.end(),
                      [&](const MeasuredFigure& figure) { return figure.role == role; }));
}

}  // namespace nestwalk
