#include "sim/digraph.h"
#include "sim/topology.h"

namespace nestwalk {
namespace {

using Kind = MachinePart::Kind;
using Parts = std::vector<std::size_t>;

Digraph graph_of(const Topology& topology) {
    Digraph graph{.vertices = topology.parts.size()};
    for (const MachineEdge& edge : topology.edges) graph.arcs.push_back({edge.from, edge.to, {}});
    return graph;
}

Parts parts_of(const Topology& topology, Kind kind) {
    Parts found;
    for (std::size_t at = 0; at < topology.parts.size(); ++at)
        if (topology.parts[at].kind == kind) found.push_back(at);
    return found;
}

std::optional<TopologyError> count_error(const Topology& topology, Kind kind,
                                         const std::string& name) {
    const Parts found = parts_of(topology, kind);
    if (found.empty()) return TopologyError{"", "the machine has no part that is " + name};
    if (found.size() == 1) return std::nullopt;
    return TopologyError{topology.parts[found[1]].key,
                         "a second part that is " + name + ", after " +
                             topology.parts[found[0]].key + "; a machine has one"};
}

std::optional<TopologyError> cycle_error(const Topology& topology, const Digraph& graph) {
    const Parts cycle = cycle_in(graph);
    if (cycle.empty()) return std::nullopt;
    const std::string& first = topology.parts[cycle[0]].key;
    std::string path = first;
    for (std::size_t at = 1; at < cycle.size(); ++at) {
        path += " asks " + topology.parts[cycle[at]].key + ", which";
    }
    return TopologyError{first, "comes to ask itself: " + path + " asks " + first};
}

std::optional<TopologyError> unreached_error(const Topology& topology, const Digraph& graph) {
    const std::vector<bool> by_data = reachable_from(graph, parts_of(topology, Kind::kDataSide)[0]);
    const std::vector<bool> by_fetches =
        reachable_from(graph, parts_of(topology, Kind::kInstructionSide)[0]);
    for (std::size_t at = 0; at < topology.parts.size(); ++at) {
        const MachinePart& part = topology.parts[at];
        const bool of_fetches = part.group == MachinePart::Group::kInstruction;
        if (of_fetches ? by_fetches[at] : by_data[at]) continue;
        if (!part.unasked.empty()) return TopologyError{part.key, part.unasked};
        return TopologyError{part.key, of_fetches ? "no fetch comes here"
                                                  : "no load, store or page walk comes here"};
    }
    return std::nullopt;
}

std::optional<TopologyError> dead_end_error(const Topology& topology, const Digraph& graph) {
    const std::vector<bool> leads = leading_to(graph, parts_of(topology, Kind::kMemory)[0]);
    for (std::size_t at = 0; at < topology.parts.size(); ++at)
        if (!leads[at])
            return TopologyError{topology.parts[at].key,
                                 "nothing that it asks, or that those ask, is memory"};
    return std::nullopt;
}

}  // namespace

std::optional<TopologyError> topology_error(const Topology& topology) {
    for (const auto& [kind, name] :
         {std::pair{Kind::kDataSide, "the beginning of loads and stores"},
          std::pair{Kind::kInstructionSide, "the beginning of fetches"},
          std::pair{Kind::kMemory, "memory"}})
        if (auto error = count_error(topology, kind, name)) return error;
    const Digraph graph = graph_of(topology);
    if (auto error = cycle_error(topology, graph)) return error;
    if (auto error = unreached_error(topology, graph)) return error;
    return dead_end_error(topology, graph);
}

std::vector<std::size_t> elaboration_order(const Topology& topology) {
    return targets_first(graph_of(topology));
}

}  // namespace nestwalk
