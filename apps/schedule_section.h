#pragma once

// The keys of an experiment's `system` section that say how vCPUs that run side by side are ordered
// in time, beside what the trace makes them do.

#include "apps/config_fields.h"
#include "apps/config_node.h"
#include "sim/schedule_parameters.h"

namespace nestwalk {

/// Of a `system` section. Throws InputError.
ScheduleParameters read_schedule(const ConfigValue& system);

/// Adds the keys to a `system` section.
void add_schedule(const ScheduleParameters& schedule, ConfigNode& system);

}  // namespace nestwalk
