#pragma once

// The queue for a lock played event by event, with numbers from a generator of its own: the same on
// every machine. It knows nothing of the chain that sim/lock_queue.h solves, and checks it.

#include "sim/lock_queue.h"

#include <cstdint>

namespace nestwalk {

/// Over `holds` holds of the lock, at least one, after a tenth as many that do not count.
LockContention simulate_contention(const ContendedLock& lock, std::uint64_t holds,
                                   std::uint64_t seed = 1);

}  // namespace nestwalk
