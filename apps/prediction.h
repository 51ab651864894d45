#pragma once

// A figure as predicted beside the figure as measured: what the simulator says, the factors that
// are fitted to figures, and the errors.

#include "apps/figure_values.h"
#include "apps/measurement.h"
#include "apps/prediction_error.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

/// All numbers from the one to the other.
struct Band {
    double low{};
    double high{};
};

struct FigurePrediction {
    double model{};                     ///< what the simulator says, nothing fitted to it
    double value{};                     ///< that times the factors that the run uses
    std::optional<Band> band{};         ///< of which `value` is the point nearest to the measured
    double difference{};                ///< predicted - measured
    double beyond_jitter{};             ///< the same with the jitter taken off
    double plain_error{};               ///< the difference as a ratio
    double error{};                     ///< the same with the jitter taken off
    std::optional<ErrorCause> cause{};  ///< of a predicted figure or band that is an outlier
};

/// One a figure; nothing where there is no prediction.
using Predictions = std::vector<std::optional<FigurePrediction>>;

/// One an assumption; nothing for a discrete choice.
using Factors = std::vector<std::optional<double>>;

/// Measured / model of the figures that factors are fitted to. Throws InputError where the model
/// says 0.
Factors fit_factors(const Measurement& measurement, const FigureValues& values);

/// Of the figures whose values are there.
Predictions predict_figures(const Measurement& measurement, const FigureValues& values,
                            const Factors& factors);

/// Of one figure, with no factor.
FigurePrediction predict_value(const Measurement& measurement, std::size_t figure, double value);

/// Of one figure; without error where it lies in the band, else with that of the nearer end.
FigurePrediction predict_band(const Measurement& measurement, std::size_t figure, Band band);

/// The error of a prediction in the scale of its group.
double scaled_error(const FigureGroup& group, const FigurePrediction& prediction);

}  // namespace nestwalk
