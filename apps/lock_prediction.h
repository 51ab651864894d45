#pragma once

// What the queue for a measured lock predicts: the bursts that have the figures of one run, all of
// them, with the hold of the other run in their place.

#include "apps/measurement.h"
#include "apps/prediction.h"
#include "sim/burst_ridge.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwalk {

/// Bursts that have both figures of the fitted run.
struct RidgePoint {
    BurstFit bursts{};
    double busy_share{};         ///< in the fitted run
    LockContention predicted{};  ///< in the other one
};

/// Requests of another kind, their rate fitted to the blocked share of the fitted run alone.
struct RequestFamily {
    std::string name{};
    double exponential_share{};  ///< of the holds
    LockContention fitted{};
    LockContention predicted{};
};

/// What the difference of the two holds makes of a VM exit, and what machines say it is.
struct ExitCost {
    double together{};  ///< all CPUs exit at the same time
    double in_turn{};   ///< one CPU after another
    struct OfMachine {
        std::string name{};
        double exit_and_entry{};
        std::string provenance{};
    };
    std::vector<OfMachine> machines{};
};

struct LockPrediction {
    std::size_t lock{};  ///< of the measurement
    std::vector<RidgePoint> ridge{};
    Band blocked_share{};
    Band mean_block{};
    std::size_t nearest{};  ///< of the ridge: whose larger error in the other run is the smallest
    std::vector<RequestFamily> families{};
    double simulated_difference{};  ///< largest, of a family's block when it is played
    ExitCost exits{};
};

/// Throws InputError where no bursts have both figures.
LockPrediction predict_lock(const Measurement& measurement, std::size_t lock);

/// Puts what the lock predicts in the places of its figures.
void add_lock(const Measurement& measurement, const LockPrediction& lock, Predictions& predictions);

}  // namespace nestwalk
