#include "sim/digraph.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/topological_sort.hpp>

namespace nestwalk {
namespace {

struct ArcProperties {
    std::size_t number{};
    std::int64_t length{};
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                    boost::no_property, ArcProperties>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

Graph boost_graph(const Digraph& graph) {
    Graph result(graph.vertices);
    for (std::size_t number = 0; number < graph.arcs.size(); ++number) {
        const Arc& arc = graph.arcs[number];
        assert(arc.from < graph.vertices && arc.to < graph.vertices);
        boost::add_edge(arc.from, arc.to, {number, arc.length.milli}, result);
    }
    return result;
}

/// Keeps the first cycle that a depth-first search closes.
class CycleFinder : public boost::default_dfs_visitor {
public:
    CycleFinder(std::vector<Vertex>& path, std::vector<std::size_t>& cycle)
        : path_(path), cycle_(cycle) {}

    void discover_vertex(Vertex vertex, const Graph&) const { path_.push_back(vertex); }
    void finish_vertex(Vertex, const Graph&) const { path_.pop_back(); }
    void back_edge(Edge edge, const Graph& graph) const {
        if (!cycle_.empty()) return;
        const auto begin = std::find(path_.begin(), path_.end(), boost::target(edge, graph));
        cycle_.assign(begin, path_.end());
    }

private:
    std::vector<Vertex>& path_;  ///< from the root of the search to where it is
    std::vector<std::size_t>& cycle_;
};

template <typename SomeGraph>
std::vector<bool> visited_from(const SomeGraph& graph, std::size_t source) {
    std::vector<boost::default_color_type> colors(boost::num_vertices(graph));
    boost::breadth_first_search(graph, source, boost::color_map(colors.data()));
    std::vector<bool> visited;
    visited.reserve(colors.size());
    for (const boost::default_color_type color : colors) {
        visited.push_back(color != boost::white_color);
    }
    return visited;
}

}  // namespace

std::vector<std::size_t> cycle_in(const Digraph& graph) {
    std::vector<Vertex> path;
    std::vector<std::size_t> cycle;
    boost::depth_first_search(boost_graph(graph), boost::visitor(CycleFinder(path, cycle)));
    return cycle;
}

std::vector<std::size_t> targets_first(const Digraph& graph) {
    Graph sorted = boost_graph(graph);
    std::vector<std::size_t> order;
    boost::topological_sort(sorted, std::back_inserter(order));
    return order;
}

std::vector<bool> reachable_from(const Digraph& graph, std::size_t source) {
    return visited_from(boost_graph(graph), source);
}

std::vector<bool> leading_to(const Digraph& graph, std::size_t target) {
    const Graph forward = boost_graph(graph);
    return visited_from(boost::make_reverse_graph(forward), target);
}

std::vector<std::size_t> longest_path(const Digraph& graph, std::size_t from, std::size_t to) {
    constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::min();
    const Graph all = boost_graph(graph);
    std::vector<std::int64_t> distance(graph.vertices);
    boost::dag_shortest_paths(all, from,
                              boost::weight_map(boost::get(&ArcProperties::length, all))
                                  .distance_map(distance.data())
                                  .distance_compare(std::greater<>())
                                  .distance_inf(kUnreached));
    std::vector<std::size_t> path;
    if (distance[to] == kUnreached) return path;
    // Backwards along arcs that are as long as the difference that they make.
    for (std::size_t at = to; at != from;) {
        const auto [begin, end] = boost::in_edges(at, all);
        const auto longest = std::find_if(begin, end, [&](const Edge& edge) {
            const std::size_t before = boost::source(edge, all);
            return distance[before] != kUnreached &&
                   distance[before] + all[edge].length == distance[at];
        });
        assert(longest != end);
        path.push_back(all[*longest].number);
        at = boost::source(*longest, all);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace nestwalk
