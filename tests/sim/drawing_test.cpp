// A drawing in the DOT language, to the letter.
#include "sim/drawing.h"

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

TEST_SUITE("drawing") {
    TEST_CASE("boxes and lines in their order, with their attributes") {
        const Drawing drawing{
            .attributes = {{"rankdir", "LR"}},
            .of_boxes = {{"shape", "box"}},
            .of_lines = {{"fontsize", "9"}, {"color", "red"}},
            .boxes = {{"l1.d", {{"label", "L1"}}}, {"memory", {}}},
            .lines = {{1, 0, {}}, {0, 1, {{"label", "a"}}}, {0, 1, {{"label", "b"}}}},
        };
        CHECK(dot(drawing) ==
              "digraph G {\n"
              "rankdir=\"LR\";\n"
              "node [shape=\"box\"];\n"
              "edge [fontsize=\"9\", color=\"red\"];\n"
              "\"l1.d\" [label=\"L1\"];\n"
              "memory;\n"
              "memory->\"l1.d\" ;\n"
              "\"l1.d\"->memory  [label=\"a\"];\n"
              "\"l1.d\"->memory  [label=\"b\"];\n"
              "}\n");
    }

    TEST_CASE("frames and rows name their boxes") {
        const Drawing drawing{
            .boxes = {{"a", {}}, {"b", {}}, {"c d", {}}},
            .frames = {{"memory", {{"label", "m"}}, {0, 2}}},
            .rows = {{1, 2}},
        };
        CHECK(dot(drawing) ==
              "digraph G {\n"
              "subgraph \"cluster_memory\" {\n"
              "  label=\"m\";\n"
              "  \"a\"; \"c d\";\n"
              "}\n"
              "{ rank=same; \"b\"; \"c d\"; }\n"
              "a;\n"
              "b;\n"
              "\"c d\";\n"
              "}\n");
    }

    TEST_CASE("text is kept as it is: quotes, backslashes and line breaks") {
        const Drawing drawing{.boxes = {{"a", {{"label", "say \"\\N\"\ntwice"}}}}};
        CHECK(dot(drawing) == "digraph G {\na [label=\"say \\\"\\\\N\\\"\\ntwice\"];\n}\n");
    }
}

}  // namespace
}  // namespace nestwalk::test
