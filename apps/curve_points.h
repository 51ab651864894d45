#pragma once

// The points of a rate curve, each simulated in both ways, and the rates at which measured ratios
// lie on it.

#include "apps/experiment_file.h"
#include "apps/measurement.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

struct CurvePoint {
    std::size_t phase{};  ///< of the workload
    double rate{};        ///< events a second of a CPU's time, done in the second way
    double ratio{};       ///< time in the first way / time in the second
    double own{};         ///< seconds that an event takes in both ways
};

/// A workload's points, the lowest rate first.
using CurveLine = std::vector<CurvePoint>;

struct CurveResult {
    std::size_t curve{};  ///< of the measurement
    Experiment of{};
    Experiment to{};
    std::vector<CurveLine> lines{};  ///< one a workload
};

/// Runs the experiment in both ways. Throws InputError, and Interrupted when `stop` is set.
CurveResult curve_points(const Measurement& measurement, std::size_t curve,
                         const std::atomic<bool>* stop);

/// The rate at which a line has that ratio: between two points, or between the first and a ratio of
/// 1 at a rate of 0, in proportion. Nothing where no point is so far from 1.
std::optional<double> rate_for(const CurveLine& line, double ratio);

/// Where the line has that ratio, the seconds that an event takes in both ways.
double own_at(const CurveLine& line, double rate);

/// Points that are on the other side of 1 than the curve says, or at 1.
std::size_t count_contrary(const RateCurve& curve, const CurveResult& result);

}  // namespace nestwalk
