#include "apps/prediction_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nestwalk {

namespace {

double ratio(double difference, double whole) {
    if (difference == 0) return 0;
    if (whole == 0) return std::copysign(std::numeric_limits<double>::infinity(), difference);
    return difference / whole;
}

}  // namespace

double plain_error(double predicted, double measured) {
    return ratio(predicted - measured, measured);
}

double beyond_jitter(double predicted, double measured, double jitter) {
    const double beyond = std::max(0.0, std::abs(predicted - measured) - jitter);
    return beyond == 0 ? 0 : std::copysign(beyond, predicted - measured);
}

double jitter_error(double predicted, double measured, double jitter) {
    return ratio(beyond_jitter(predicted, measured, jitter), std::max(measured, 5 * jitter));
}

ErrorSummary summarize(std::vector<double> errors) {
    if (errors.empty()) return {};
    const std::size_t count = errors.size();
    const double mean =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(count);
    for (double& error : errors) error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    const double median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
    const std::size_t rank = (9 * count + 9) / 10;
    return {count, median, errors[rank - 1], errors.back(), mean};
}

}  // namespace nestwalk
