#include "apps/validation.h"
#include "apps/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwalk {

namespace {

using Counts = std::vector<std::optional<std::uint64_t>>;

std::uint64_t read_statistic(const RunResult& result, const std::string& statistic,
                             const MeasuredFigure& figure) {
    const std::vector<Phase> phases = result.statistics.phases();
    std::vector<std::string_view> known;
    for (const Phase& phase : phases) {
        known.push_back(phase.name);
        if (phase.name != figure.phase) continue;
        std::uint64_t sum = 0;
        for (const std::size_t at : counters_named(statistic)) sum += phase.counters[at];
        return sum;
    }
    throw InputError(figure.phase_location,
                     fault("the experiment has no phase of that name", figure.phase,
                           known.empty() ? "a workload with phases" : listed(known)) +
                         suggestion(figure.phase, known));
}

std::optional<Experiment> load(const MeasuredRun& run) {
    if (run.experiment.empty()) return std::nullopt;
    return load_experiment(run.experiment, run.overrides);
}

Counts count_figures(const Measurement& measurement,
                     const std::vector<std::optional<Experiment>>& experiments,
                     const std::atomic<bool>* stop) {
    std::vector<std::optional<RunResult>> results(experiments.size());
    Counts counts;
    for (const MeasuredFigure& figure : measurement.figures) {
        counts.emplace_back();
        if (figure.role == FigureRole::kNotModelled) continue;
        std::optional<RunResult>& result = results[figure.run];
        if (!result) result = run(*experiments[figure.run], {.stop = stop});
        counts.back() = read_statistic(*result, measurement.statistic, figure);
    }
    return counts;
}

double factor_of(const MeasuredRun& run, const std::vector<std::optional<double>>& factors) {
    double product = 1;
    for (const std::size_t assumption : run.assumptions) product *= factors[assumption].value_or(1);
    return product;
}

std::vector<std::optional<double>> fit(const Measurement& measurement, const Counts& counts) {
    std::vector<std::optional<double>> factors;
    for (const Assumption& assumption : measurement.assumptions) {
        factors.emplace_back();
        if (!assumption.fitted_to) continue;
        const MeasuredFigure& figure = measurement.figures[*assumption.fitted_to];
        const std::uint64_t count = counts[*assumption.fitted_to].value_or(0);
        if (count == 0)
            throw InputError(figure.phase_location, "the model counts 0 " + measurement.statistic +
                                                        " for " + nestwalk::quoted(figure.id) +
                                                        ", so no factor can be fitted to it");
        factors.back() = static_cast<double>(figure.measured) / static_cast<double>(count);
    }
    return factors;
}

FigurePrediction predict_figure(const Measurement& measurement, const MeasuredFigure& figure,
                                std::uint64_t count, double factor) {
    FigurePrediction prediction{};
    prediction.count = count;
    prediction.value = factor * static_cast<double>(count);
    const auto measured = static_cast<double>(figure.measured);
    prediction.plain_error = plain_error(prediction.value, measured);
    prediction.error =
        jitter_error(prediction.value, measured, static_cast<double>(measurement.jitter));
    if (figure.role == FigureRole::kPredicted && std::abs(prediction.error) > kOutlierError)
        prediction.cause = figure.cause.value_or(ErrorCause::kUnknown);
    return prediction;
}

ErrorSummary summarize_group(const Validation& validation, std::size_t group) {
    std::vector<double> errors;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        if (figure.group == group && figure.role == FigureRole::kPredicted)
            errors.push_back(validation.predictions[at]->error);
    }
    return summarize(std::move(errors));
}

}  // namespace

double plain_error(double predicted, double measured) {
    if (predicted == measured) return 0;
    if (measured == 0) return std::numeric_limits<double>::infinity();
    return (predicted - measured) / measured;
}

double jitter_error(double predicted, double measured, double jitter) {
    const double beyond = std::max(0.0, std::abs(predicted - measured) - jitter);
    if (beyond == 0) return 0;
    return std::copysign(beyond / std::max(measured, 5 * jitter), predicted - measured);
}

ErrorSummary summarize(std::vector<double> errors) {
    if (errors.empty()) return {};
    for (double& error : errors) error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    const std::size_t count = errors.size();
    const double median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
    const std::size_t rank = (9 * count + 9) / 10;
    return {count, median, errors[rank - 1], errors.back()};
}

Validation predict(Measurement measurement, const Counts& counts) {
    Validation validation{};
    validation.factors = fit(measurement, counts);
    for (std::size_t at = 0; at < counts.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        validation.predictions.emplace_back();
        if (!counts[at]) continue;
        const double factor = factor_of(measurement.runs[figure.run], validation.factors);
        validation.predictions.back() = predict_figure(measurement, figure, *counts[at], factor);
    }
    validation.measurement = std::move(measurement);
    for (std::size_t group = 0; group < validation.measurement.groups.size(); ++group)
        validation.summaries.push_back(summarize_group(validation, group));
    return validation;
}

Validation validate(Measurement measurement, const std::atomic<bool>* stop) {
    std::vector<std::optional<Experiment>> experiments;
    for (const MeasuredRun& run : measurement.runs) experiments.push_back(load(run));
    const Counts counts = count_figures(measurement, experiments, stop);
    Validation validation = predict(std::move(measurement), counts);
    validation.experiments = std::move(experiments);
    return validation;
}

std::size_t count_role(const Measurement& measurement, FigureRole role) {
    return static_cast<std::size_t>(
        std::count_if(measurement.figures.begin(), measurement.figures.end(),
                      [&](const MeasuredFigure& figure) { return figure.role == role; }));
}

}  // namespace nestwalk
