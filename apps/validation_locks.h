#pragma once

// What the queues for measured locks say beyond their figures, as tables: the bursts that have the
// figures of one run, what other requests would do, and what the holds say of an exit.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

/// Of each lock a line for the list of what is assumed.
std::string locks_assumed(const Measurement& measurement);

/// Empty where no lock was measured.
std::string locks_text(const Validation& validation);

/// "fixed", "exponential", or "0.79 exponential" where that share is.
std::string hold_words(double exponential_share);

}  // namespace nestwalk
