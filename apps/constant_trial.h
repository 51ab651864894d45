#pragma once

// Predicts the figures that constants are fitted to while the constants change. What was run once
// under some values is not run again.

#include "apps/figure_values.h"
#include "apps/measurement.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nestwalk {

class ConstantTrial {
public:
    ConstantTrial(const Measurement& measurement, const std::atomic<bool>* stop)
        : measurement_(measurement), stop_(stop) {}

    FittedConstant& constant(std::size_t at) { return measurement_.constants[at]; }

    /// The one that the constant is fitted to.
    const MeasuredFigure& figure_of(std::size_t at) const {
        return measurement_.figures[measurement_.constants[at].fitted_to];
    }

    /// Predicted - measured of the constant's figure. Throws InputError, and Interrupted when
    /// stopped.
    double residual(std::size_t at);

private:
    /// A run, and the values of the constants that it has.
    using Key = std::pair<std::size_t, std::vector<std::int64_t>>;

    const FigureValues& values_of(std::size_t run);

    Measurement measurement_;
    const std::atomic<bool>* stop_;
    std::map<Key, FigureValues> known_{};
};

}  // namespace nestwalk
