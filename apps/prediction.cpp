#include "apps/prediction.h"

#include <algorithm>
#include <cmath>

namespace nestwalk {

namespace {

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
    const bool is_predicted =
        figure.role == FigureRole::kPredicted || figure.role == FigureRole::kPredictedBand;
    if (is_predicted && std::abs(prediction.error) > kOutlierError)
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

FigurePrediction predict_value(const Measurement& measurement, std::size_t figure, double value) {
    return judged(measurement, measurement.figures[figure], value, value);
}

FigurePrediction predict_band(const Measurement& measurement, std::size_t figure, Band band) {
    const double nearest =
        std::clamp(measurement.figures[figure].measured.value, band.low, band.high);
    FigurePrediction prediction = predict_value(measurement, figure, nearest);
    prediction.band = band;
    return prediction;
}

double scaled_error(const FigureGroup& group, const FigurePrediction& prediction) {
    return group.scale == ErrorScale::kUnit ? prediction.beyond_jitter : prediction.error;
}

}  // namespace nestwalk
