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

/// As a picture for Graphviz, in the DOT language: what was read and found, an arrow to what could
/// go on then with the cycles that it took.
std::string walk_dot(const Experiment& experiment, WalkState state, const TracedWalk& walk);

/// "load from 0x40_0000 by user code in vm0, space s0".
std::string access_words(const TracedWalk& walk);
/// "start of the trace: caches empty, the page mapped on first touch".
std::string state_words(const Experiment& experiment, WalkState state);

}  // namespace nestwalk
