#pragma once

// Measured figures against what the simulator predicts: runs the experiments, fits the named
// factors, takes the errors.

#include "apps/experiment_file.h"
#include "apps/measurement_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwalk {

/// A predicted figure whose error is beyond this is an outlier and has a cause.
inline constexpr double kOutlierError = 0.10;

/// (predicted - measured) / measured; infinite where only the measured one is 0.
double plain_error(double predicted, double measured);

/// max(0, |predicted - measured| - jitter) / max(measured, 5 jitter), with the sign of
/// predicted - measured.
double jitter_error(double predicted, double measured, double jitter);

struct ErrorSummary {
    std::size_t count{};
    double median{};  ///< of the absolute errors; mean of the two in the middle if there are two
    double percentile_90{};  ///< nearest rank: the least error that 90 % of them do not exceed
    double largest{};
};

ErrorSummary summarize(std::vector<double> errors);

struct FigurePrediction {
    std::uint64_t count{};  ///< what the model counted
    double value{};         ///< the count times the factors that the run uses
    double plain_error{};
    double error{};                     ///< with the jitter taken off
    std::optional<ErrorCause> cause{};  ///< of a predicted figure that is an outlier
};

struct Validation {
    Measurement measurement{};
    /// One a run; none where it has no experiment.
    std::vector<std::optional<Experiment>> experiments{};
    /// One an assumption; none for a discrete choice.
    std::vector<std::optional<double>> factors{};
    /// One a figure; none where it is not modelled.
    std::vector<std::optional<FigurePrediction>> predictions{};
    /// One a group: errors of the figures with the role `predicted`.
    std::vector<ErrorSummary> summaries{};
};

/// Runs every experiment of the measurement. Throws InputError, and Interrupted when `stop` is set.
Validation validate(Measurement measurement, const std::atomic<bool>* stop = nullptr);

/// The part that needs no simulation: `counts` has what the model counted for each figure.
Validation predict(Measurement measurement,
                   const std::vector<std::optional<std::uint64_t>>& counts);

std::size_t count_role(const Measurement& measurement, FigureRole role);

}  // namespace nestwalk
