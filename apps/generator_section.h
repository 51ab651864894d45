#pragma once

// The `generator` section of a workload: a trace that is made.

#include "apps/config_fields.h"
#include "apps/config_node.h"
#include "traces/generated_source.h"
#include "traces/pointer_chase.h"
#include "traces/record.h"

#include <memory>
#include <variant>

namespace nestwalk {

using Generator = std::variant<PointerChase, GeneratedAccesses, AccessMix>;

/// Throws InputError.
Generator read_generator(const ConfigValue& value);
/// What `read_generator` reads back to the same generator.
ConfigNode generator_node(const Generator& generator);

std::unique_ptr<TraceSource> open_generator(const Generator& generator);

}  // namespace nestwalk
