#pragma once

// What two figures of a lock say about the bursts in which CPUs ask for it: how often they were
// blocked and for how long on average. Bursts have a mean size, a mean gap, and some distribution
// of sizes, and holds have one too, so there is an answer for each mean size out of a range and for
// each kind of hold: a ridge, not a point.

#include "sim/lock_queue.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

struct ObservedLock {
    std::size_t cpus{};
    double hold{};
    double blocked_share{};  ///< between 0 and 1
    double mean_block{};
};

/// Bursts that make the queue do what was observed.
struct BurstFit {
    double exponential_share{};  ///< of the holds
    double mean_size{};
    double geometric_share{};  ///< between bursts that are all the same, 0, and geometric ones, 1
    double gap{};
};

/// The lock with such bursts, held for that long.
ContendedLock lock_with(const BurstFit& fit, std::size_t cpus, double hold);

/// The lock asked for as often as it takes for that share to be blocked: with another `gap` or
/// `think`. Nothing where no rate does that.
std::optional<ContendedLock> with_blocked_share(ContendedLock lock, double blocked_share);

/// The bursts of that mean size, at least 1; nothing where no gap and no distribution of sizes has
/// both figures.
std::optional<BurstFit> fit_bursts(const ObservedLock& observed, double exponential_share,
                                   double mean_size);

/// No bursts, each CPU comes alone, and the share of exponential holds that has both figures then;
/// nothing where none has.
std::optional<BurstFit> fit_without_bursts(const ObservedLock& observed);

/// The fits for the least mean size that has one, the largest, and all whole ones in between, if
/// those that have one are a range wider than a quarter; empty where none has.
std::vector<BurstFit> burst_ridge(const ObservedLock& observed, double exponential_share);

}  // namespace nestwalk
