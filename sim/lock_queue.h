#pragma once

// A lock that CPUs wait for in the order in which they asked for it, as a ticket spinlock hands
// itself on: how often a CPU finds it held, and how long it then waits. Solved exactly, as a Markov
// chain from one hold of the lock to the next; sim/lock_simulation.h plays the same queue event by
// event. Times are in any one unit.

#include <cstddef>
#include <variant>
#include <vector>

namespace nestwalk {

/// Each CPU for itself: it computes for an exponential time, then takes the lock several times in a
/// row, a geometric number.
struct IndependentRequests {
    double think{};      ///< mean
    double in_a_row{1};  ///< mean, at least 1
};

/// Bursts, at exponential gaps that do not depend on the lock: several CPUs ask at one instant. Of
/// a burst larger than the number of CPUs that neither hold the lock nor wait, only those ask.
struct RequestBursts {
    double gap{};                 ///< mean
    std::vector<double> sizes{};  ///< the probabilities of 1, 2, ... CPUs; the rest is all CPUs
};

struct ContendedLock {
    std::size_t cpus{};
    double hold{};               ///< mean
    double exponential_share{};  ///< of the holds; the others are all as long as the mean
    std::variant<IndependentRequests, RequestBursts> requests{};
};

struct LockContention {
    double blocked_share{};  ///< of all that took the lock: found it held
    double mean_block{};     ///< how long these waited; 0 if there are none
    double busy_share{};     ///< of all time: the lock is held
};

/// In the long run. There is at least one CPU, and all times are positive.
LockContention contention(const ContendedLock& lock);

/// Sizes of bursts with that mean, at least 1, as far as they are below `most`: all the same, or
/// the two whole sizes next to the mean.
std::vector<double> equal_burst_sizes(double mean, std::size_t most);

/// The same, geometric.
std::vector<double> geometric_burst_sizes(double mean, std::size_t most);

/// That share of the bursts geometric, the others equal.
std::vector<double> burst_sizes(double mean, double geometric_share, std::size_t most);

}  // namespace nestwalk
