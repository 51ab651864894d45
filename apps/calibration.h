#pragma once

// Solves for the constants of a measurement from nothing but its figures: each is matched to the
// figure that it is fitted to, all of them in turn, until none moves.

#include "apps/measurement.h"

#include <atomic>
#include <cstddef>
#include <vector>

namespace nestwalk {

/// One a constant. The values that the measurement has do not enter. Throws InputError where a
/// constant would have to be negative, does not matter to its figure, or where they do not settle;
/// Interrupted when `stop` is set.
std::vector<Latency> solve_constants(const Measurement& measurement, std::size_t threads = 1,
                                     const std::atomic<bool>* stop = nullptr);

/// One of them alone, the others as the measurement has them.
Latency solve_constant(const Measurement& measurement, std::size_t constant,
                       const std::atomic<bool>* stop = nullptr);

}  // namespace nestwalk
