#pragma once

// How far a prediction is off, and what many errors come to.

#include <cstddef>
#include <vector>

namespace nestwalk {

/// A predicted figure whose error is beyond this is an outlier and has a cause.
inline constexpr double kOutlierError = 0.10;

/// (predicted - measured) / measured; infinite where only the measured one is 0.
double plain_error(double predicted, double measured);

/// What is left of predicted - measured when `jitter` is taken off its magnitude.
double beyond_jitter(double predicted, double measured, double jitter);

/// beyond_jitter / max(measured, 5 jitter); infinite where that is a division by 0.
double jitter_error(double predicted, double measured, double jitter);

struct ErrorSummary {
    std::size_t count{};
    double median{};  ///< of the absolute errors; mean of the two in the middle if there are two
    double percentile_90{};  ///< nearest rank: the least error that 90 % of them do not exceed
    double largest{};
    double signed_mean{};
};

ErrorSummary summarize(std::vector<double> errors);

}  // namespace nestwalk
