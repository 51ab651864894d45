// What the graphs of machines and walks are asked, on graphs that one can draw on a napkin.
#include "sim/digraph.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Vertices = std::vector<std::size_t>;
using Reached = std::vector<bool>;

Arc arc(std::size_t from, std::size_t to, std::int64_t cycles = 1) {
    return {from, to, Cycles::whole(cycles)};
}

// 0 -> 1 -> 3 and 0 -> 2 -> 3; 4 stands alone.
Digraph diamond() {
    return {.vertices = 5, .arcs = {arc(0, 1, 5), arc(0, 2, 1), arc(1, 3, 1), arc(2, 3, 6)}};
}

TEST_SUITE("directed graph") {
    TEST_CASE("a cycle is given in the order of its arcs, without the way to it") {
        CHECK(cycle_in(diamond()).empty());
        CHECK(cycle_in({.vertices = 0}).empty());
        const Digraph graph{.vertices = 5,
                            .arcs = {arc(0, 3), arc(3, 1), arc(1, 4), arc(4, 3), arc(3, 2)}};
        CHECK(cycle_in(graph) == Vertices{3, 1, 4});
        CHECK(cycle_in({.vertices = 2, .arcs = {arc(0, 1), arc(1, 1)}}) == Vertices{1});
        const Digraph two{.vertices = 4, .arcs = {arc(0, 1), arc(1, 0), arc(2, 3), arc(3, 2)}};
        CHECK(cycle_in(two) == Vertices{0, 1});
    }

    TEST_CASE("targets come first") {
        const Digraph graph = diamond();
        const Vertices order = targets_first(graph);
        REQUIRE(order.size() == graph.vertices);
        const auto place = [&](std::size_t vertex) {
            return std::find(order.begin(), order.end(), vertex) - order.begin();
        };
        for (const Arc& each : graph.arcs) CHECK(place(each.to) < place(each.from));
        CHECK(place(4) < 5);
    }

    TEST_CASE("reachable are the source and what arcs lead to, not what leads to it") {
        CHECK(reachable_from(diamond(), 0) == Reached{true, true, true, true, false});
        CHECK(reachable_from(diamond(), 1) == Reached{false, true, false, true, false});
        CHECK(leading_to(diamond(), 3) == Reached{true, true, true, true, false});
        CHECK(leading_to(diamond(), 1) == Reached{true, true, false, false, false});
    }

    TEST_CASE("the longest path is the one of most cycles, not of most arcs") {
        CHECK(longest_path(diamond(), 0, 3) == Vertices{1, 3});  // 1 + 6, not 5 + 1
        Digraph graph = diamond();
        graph.arcs.push_back(arc(0, 3, 8));
        CHECK(longest_path(graph, 0, 3) == Vertices{4});
        graph.arcs.back().length = {6'999};
        CHECK(longest_path(graph, 0, 3) == Vertices{1, 3});
    }

    TEST_CASE("the longest path may hold arcs of no length, be empty, or not be there") {
        const Digraph chain{.vertices = 4, .arcs = {arc(0, 1, 0), arc(1, 2, 0), arc(3, 0, 2)}};
        CHECK(longest_path(chain, 0, 2) == Vertices{0, 1});
        CHECK(longest_path(chain, 3, 1) == Vertices{2, 0});
        CHECK(longest_path(chain, 0, 0).empty());
        CHECK(longest_path(chain, 0, 3).empty());
        CHECK(longest_path(diamond(), 0, 4).empty());
    }
}

}  // namespace
}  // namespace nestwalk::test
