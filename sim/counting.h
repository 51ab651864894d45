#pragma once

// The one place that counts: outcomes in, counters out.

#include "models/operation.h"
#include "models/outcome.h"
#include "sim/counters.h"

namespace nestwalk {

void count_translation(const Outcome& outcome, Counters& counters);
void count_operation(const Operation& operation, const Outcome& outcome, Counters& counters);

}  // namespace nestwalk
