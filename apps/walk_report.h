#pragma once

// A translation as `nestwalk walk` shows it: where, what the caches said, each read, the result.

#include "apps/experiment_file.h"
#include "apps/traced_walk.h"

#include <cstdint>
#include <string>

namespace nestwalk {

enum class WalkState : std::uint8_t { kStart, kAfterWorkload };

std::string walk_text(const Experiment& experiment, WalkState state, const TracedWalk& walk);

/// The same content. Addresses and entries are strings in hexadecimal, since they need 64 bits.
std::string walk_json(const Experiment& experiment, WalkState state, const TracedWalk& walk);

}  // namespace nestwalk
