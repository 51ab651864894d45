#pragma once

// A directed graph as plain lists, and the questions that the machine and the walk ask of theirs.
// Graphs here have tens of vertices, and no run waits for them. digraph.cpp has Boost.Graph do it.

#include "sim/cycles.h"

#include <cstddef>
#include <vector>

namespace nestwalk {

struct Arc {
    std::size_t from{};
    std::size_t to{};
    Cycles length{};

    bool operator==(const Arc&) const = default;
};

/// Vertices are 0 to `vertices` - 1, and arcs have both ends among them.
struct Digraph {
    std::size_t vertices{};
    std::vector<Arc> arcs{};
};

/// The vertices of one cycle in the order of its arcs; empty if there is none.
std::vector<std::size_t> cycle_in(const Digraph& graph);

/// All vertices, each after those that its arcs lead to. The graph must have no cycle.
std::vector<std::size_t> targets_first(const Digraph& graph);

/// For each vertex whether arcs lead there from `source`; to `source` itself they do.
std::vector<bool> reachable_from(const Digraph& graph, std::size_t source);
/// For each vertex whether arcs lead from there to `target`.
std::vector<bool> leading_to(const Digraph& graph, std::size_t target);

/// The arcs of a longest path between two vertices, as indices. Empty if no path joins them. The
/// graph must have no cycle.
std::vector<std::size_t> longest_path(const Digraph& graph, std::size_t from, std::size_t to);

}  // namespace nestwalk
