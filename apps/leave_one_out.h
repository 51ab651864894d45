#pragma once

// What a constant is worth on a machine that it was not fitted on: the figures of its runs,
// predicted with the value that a figure of another machine asks for.

#include "apps/measurement.h"
#include "apps/prediction_error.h"

#include <atomic>
#include <cstddef>

namespace nestwalk {

struct LeaveOneOut {
    std::size_t constant{};
    Latency value{};  ///< solved from the constant's `alternative_fit`
    /// Of the predicted figures of the constant's runs, and of the one that it is fitted to.
    ErrorSummary errors{};
};

/// `constant` has an `alternative_fit`. Throws InputError where the other figure gives it no value,
/// Interrupted when `stop` is set.
LeaveOneOut leave_one_out(const Measurement& measurement, std::size_t constant,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace nestwalk
