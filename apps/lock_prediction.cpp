#include "apps/lock_prediction.h"
#include "apps/config_path.h"
#include "apps/machine_file.h"
#include "apps/prediction_error.h"
#include "sim/lock_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::uint64_t kSimulatedHolds = 200'000;
constexpr std::array<double, 2> kHolds{0, 1};  // all fixed, all exponential

double measured(const Measurement& measurement, std::size_t figure) {
    return measurement.figures[figure].measured.value;
}

ObservedLock observed(const Measurement& measurement, const MeasuredLock& lock) {
    return {lock.cpus, measured(measurement, lock.fitted.hold),
            measured(measurement, lock.fitted.blocked_share),
            measured(measurement, lock.fitted.mean_block)};
}

std::vector<RidgePoint> ridge_of(const Measurement& measurement, const MeasuredLock& lock) {
    std::vector<RidgePoint> ridge;
    const ObservedLock fitted = observed(measurement, lock);
    const double other_hold = measured(measurement, lock.predicted.hold);
    const auto add = [&](const BurstFit& bursts) {
        ridge.push_back({bursts, contention(lock_with(bursts, lock.cpus, fitted.hold)).busy_share,
                         contention(lock_with(bursts, lock.cpus, other_hold))});
    };
    if (const std::optional<BurstFit> alone = fit_without_bursts(fitted)) add(*alone);
    for (const double exponential_share : kHolds)
        for (const BurstFit& bursts : burst_ridge(fitted, exponential_share)) add(bursts);
    return ridge;
}

Band band_of(const std::vector<RidgePoint>& ridge, double LockContention::*figure) {
    const auto [low, high] = std::minmax_element(
        ridge.begin(), ridge.end(), [&](const RidgePoint& one, const RidgePoint& other) {
            return one.predicted.*figure < other.predicted.*figure;
        });
    return {low->predicted.*figure, high->predicted.*figure};
}

// How far the worse of the two figures is off, as the logarithm of a factor.
double miss(const Measurement& measurement, const MeasuredLock& lock, const RidgePoint& point) {
    const auto off = [&](double predicted, std::size_t figure) {
        return std::abs(std::log(predicted / measured(measurement, figure)));
    };
    return std::max(off(point.predicted.blocked_share, lock.predicted.blocked_share),
                    off(point.predicted.mean_block, lock.predicted.mean_block));
}

std::size_t nearest_of(const Measurement& measurement, const MeasuredLock& lock,
                       const std::vector<RidgePoint>& ridge) {
    const auto nearest = std::min_element(
        ridge.begin(), ridge.end(), [&](const RidgePoint& one, const RidgePoint& other) {
            return miss(measurement, lock, one) < miss(measurement, lock, other);
        });
    return static_cast<std::size_t>(nearest - ridge.begin());
}

struct Family {
    std::string name{};
    double exponential_share{};
    std::variant<IndependentRequests, RequestBursts> requests{};
};

std::vector<Family> families_of(std::size_t cpus) {
    std::vector<Family> families;
    for (const double holds : kHolds) {
        families.push_back({"each CPU for itself", holds, IndependentRequests{1, 1}});
        families.push_back({"each for itself, 5 in a row", holds, IndependentRequests{1, 5}});
        families.push_back(
            {"equal bursts of 5", holds, RequestBursts{1, equal_burst_sizes(5, cpus)}});
        for (const int mean : {3, 5, 9})
            families.push_back({fmt::format("geometric bursts of {}", mean), holds,
                                RequestBursts{1, geometric_burst_sizes(mean, cpus)}});
    }
    return families;
}

// The families that have the blocked share at some rate.
void add_families(const Measurement& measurement, const MeasuredLock& lock,
                  LockPrediction& prediction) {
    const ObservedLock fitted = observed(measurement, lock);
    for (const Family& family : families_of(lock.cpus)) {
        const std::optional<ContendedLock> queue =
            with_blocked_share({lock.cpus, fitted.hold, family.exponential_share, family.requests},
                               fitted.blocked_share);
        if (!queue) continue;
        ContendedLock other = *queue;
        other.hold = measured(measurement, lock.predicted.hold);
        prediction.families.push_back(
            {family.name, family.exponential_share, contention(*queue), contention(other)});
        const double played = simulate_contention(other, kSimulatedHolds).mean_block;
        prediction.simulated_difference = std::max(
            prediction.simulated_difference,
            std::abs(plain_error(played, prediction.families.back().predicted.mean_block)));
    }
}

ExitCost::OfMachine exit_of(const std::string& name, const SourceLocation& location) {
    const Machine machine = load_machine(find_machine(name, {}, location));
    const TimingParameters& timing = machine.timing;
    if (!timing.enabled)
        throw InputError(location, "the machine " + nestwalk::quoted(name) +
                                       " has timing: off, so nothing is known of its exits");
    ExitCost::OfMachine exit{name, {}, {}};
    const Cycles cycles = timing.cycles(timing.vm_exit) + timing.cycles(timing.vm_entry);
    exit.exit_and_entry = cycles.value() * 1000 / static_cast<double>(timing.core_mhz);
    for (const ProvenanceEntry& entry : machine.provenance)
        if (entry.path == "timing.vm_exit")
            exit.provenance = word_for(entry.provenance.kind, kProvenanceWords);
    return exit;
}

ExitCost exit_cost(const Measurement& measurement, const MeasuredLock& lock) {
    ExitCost cost{};
    if (lock.exits.count == 0) return cost;
    const double longer =
        measured(measurement, lock.fitted.hold) - measured(measurement, lock.predicted.hold);
    cost.together = longer / static_cast<double>(lock.exits.count);
    cost.in_turn = cost.together / static_cast<double>(lock.cpus);
    for (std::size_t at = 0; at < lock.exits.machines.size(); ++at)
        cost.machines.push_back(exit_of(lock.exits.machines[at], lock.exits.locations[at]));
    return cost;
}

}  // namespace

LockPrediction predict_lock(const Measurement& measurement, std::size_t at) {
    const MeasuredLock& lock = measurement.locks[at];
    LockPrediction prediction{};
    prediction.lock = at;
    prediction.ridge = ridge_of(measurement, lock);
    if (prediction.ridge.empty())
        throw InputError(lock.location, "no bursts of up to " + std::to_string(lock.cpus) +
                                            " CPUs have both figures of " +
                                            nestwalk::quoted(lock.id) +
                                            ", to which they are "
                                            "fitted");
    prediction.blocked_share = band_of(prediction.ridge, &LockContention::blocked_share);
    prediction.mean_block = band_of(prediction.ridge, &LockContention::mean_block);
    prediction.nearest = nearest_of(measurement, lock, prediction.ridge);
    add_families(measurement, lock, prediction);
    prediction.exits = exit_cost(measurement, lock);
    return prediction;
}

void add_lock(const Measurement& measurement, const LockPrediction& prediction,
              Predictions& predictions) {
    const MeasuredLock& lock = measurement.locks[prediction.lock];
    // What the queue is given, and what it is made to say.
    for (const std::size_t figure :
         {lock.fitted.hold, lock.fitted.blocked_share, lock.fitted.mean_block, lock.predicted.hold})
        predictions[figure] = predict_value(measurement, figure, measured(measurement, figure));
    predictions[lock.predicted.blocked_share] =
        predict_band(measurement, lock.predicted.blocked_share, prediction.blocked_share);
    predictions[lock.predicted.mean_block] =
        predict_band(measurement, lock.predicted.mean_block, prediction.mean_block);
}

}  // namespace nestwalk
