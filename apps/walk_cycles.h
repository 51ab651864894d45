#pragma once

// The words for what the time of a translation goes to.

#include "apps/experiment_file.h"
#include "sim/walk_graph.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwalk {

/// False: everything is read from memory, so it goes without saying.
bool has_caches(const Experiment& experiment);
/// "L1D", "L2", "L3", "memory": where a line was found.
const char* found_in(LineSource source);

/// "1,012.5".
std::string cycles_words(Cycles cycles);
/// What is not 0, in order: {"STLB", 8}, {"walk", 16}, {"look-ups", 2}, {"reads", 241}, {"A/D", 4}.
std::vector<std::pair<const char*, Cycles>> cost_parts(const WalkCosts& costs);
/// "267: STLB 8, walk 16, look-ups 2, reads 241".
std::string latency_words(const WalkGraph& graph);
/// Of each read, in order: reading the entry, and setting A and D in it.
std::vector<Cycles> read_cycles(const WalkGraph& graph);

}  // namespace nestwalk
