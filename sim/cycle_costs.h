#pragma once

// How an operation that is no access takes time, as docs/timing.md says under "Instructions that
// order others".

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/clock.h"
#include "sim/cycle_program.h"
#include "sim/timing_parameters.h"

#include <optional>

namespace nestwalk {

/// Nothing for an operation that takes no time.
std::optional<Instruction> instruction_of(const Operation& operation, const Outcome& outcome,
                                          Place place, const TimingParameters& timing);

}  // namespace nestwalk
