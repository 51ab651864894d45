#pragma once

// What a trace explains, operation by operation, for people (text) and for programs (JSON).

#include "sim/narrative.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

/// Each operation with its outcome, what its walks read and its explanation; empty for an empty
/// narrative.
std::string narrative_text(const Narrative& narrative);

/// A list of objects: line, operation, outcome, walks, more_walks, explanation.
nlohmann::ordered_json narrative_json(const Narrative& narrative);

}  // namespace nestwalk
