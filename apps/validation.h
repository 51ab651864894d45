#pragma once

// Measured figures against what the simulator predicts: runs the experiments of measurements, and
// compares.

#include "apps/curve_points.h"
#include "apps/hypothesis_test.h"
#include "apps/leave_one_out.h"
#include "apps/lock_prediction.h"
#include "apps/prediction.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

struct CaseExperiment {
    RunCase run_case{};
    std::optional<Experiment> experiment{};
};

struct Validation {
    Measurement measurement{};
    /// In the order of run_cases.
    std::vector<CaseExperiment> experiments{};
    Factors factors{};
    /// Under the chosen alternatives.
    Predictions predictions{};
    /// One a group: errors of the figures with the role `predicted`, in the scale of the group.
    std::vector<ErrorSummary> summaries{};
    /// One a run that has alternatives.
    std::vector<HypothesisTest> hypothesis_tests{};
    /// One a constant that has an alternative fit.
    std::vector<LeaveOneOut> left_out{};
    /// One a lock.
    std::vector<LockPrediction> locks{};
    /// One a curve.
    std::vector<CurveResult> curves{};
};

struct ValidationOptions {
    std::size_t threads{1};
    const std::atomic<bool>* stop{};
};

/// Runs every experiment of the measurements; the result does not depend on the threads. Throws
/// InputError, and Interrupted when stopped.
std::vector<Validation> validate(std::vector<Measurement> measurements,
                                 const ValidationOptions& options);

/// The same for one, on one thread.
Validation validate(Measurement measurement);

/// The part that needs no simulation: `values` has what the simulator says of each figure under the
/// chosen alternatives.
Validation predict(Measurement measurement, const FigureValues& values);

std::size_t count_role(const Measurement& measurement, FigureRole role);

}  // namespace nestwalk
