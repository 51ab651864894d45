#pragma once

// Statistics of the phases of a run, by name.

#include "sim/statistics.h"
#include "traces/source_location.h"

#include <string>
#include <vector>

namespace nestwalk {

/// Throws InputError at `asked` where no phase has that name, listing those that there are.
const Phase& find_phase(const std::vector<Phase>& phases, const std::string& name,
                        const SourceLocation& asked);

/// A statistic or the sum of a group of them; times in core cycles or ticks.
double statistic_of(const Phase& phase, const std::string& name);

}  // namespace nestwalk
