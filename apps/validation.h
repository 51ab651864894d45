#pragma once

// Measured figures against what the simulator predicts: runs the experiments, fits the named
// factors, takes the errors.

#include "apps/figure_values.h"
#include "apps/measurement.h"
#include "apps/prediction_error.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

struct FigurePrediction {
    double model{};                     ///< what the simulator says, nothing fitted to it
    double value{};                     ///< that times the factors that the run uses
    double difference{};                ///< predicted - measured
    double beyond_jitter{};             ///< the same with the jitter taken off
    double plain_error{};               ///< the difference as a ratio
    double error{};                     ///< the same with the jitter taken off
    std::optional<ErrorCause> cause{};  ///< of a predicted figure that is an outlier
};

/// One a figure; nothing where there is no prediction.
using Predictions = std::vector<std::optional<FigurePrediction>>;

struct CaseExperiment {
    RunCase run_case{};
    std::optional<Experiment> experiment{};
};

struct Validation {
    Measurement measurement{};
    /// In the order of run_cases.
    std::vector<CaseExperiment> experiments{};
    /// One an assumption; none for a discrete choice.
    std::vector<std::optional<double>> factors{};
    /// Under the chosen alternatives.
    Predictions predictions{};
    /// One a group: errors of the figures with the role `predicted`, in the scale of the group.
    std::vector<ErrorSummary> summaries{};
};

/// Runs every experiment of the measurement. Throws InputError, and Interrupted when `stop` is set.
Validation validate(Measurement measurement, const std::atomic<bool>* stop = nullptr);

/// The part that needs no simulation: `values` has what the simulator says of each figure.
Validation predict(Measurement measurement, const FigureValues& values);

/// Predictions of figures whose `values` are there, under factors that are known.
Predictions predict_figures(const Measurement& measurement, const FigureValues& values,
                            const std::vector<std::optional<double>>& factors);

/// One an assumption: measured / model of the figure that it is fitted to; nothing for a discrete
/// choice. Throws InputError where the model says 0.
std::vector<std::optional<double>> fit_factors(const Measurement& measurement,
                                               const FigureValues& values);

/// The error of a prediction in the scale of its group.
double scaled_error(const FigureGroup& group, const FigurePrediction& prediction);

std::size_t count_role(const Measurement& measurement, FigureRole role);

}  // namespace nestwalk
