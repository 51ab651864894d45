#pragma once

// A directed graph as Graphviz is to draw it: boxes, the lines between them, frames around boxes
// that belong together. What stands in it is for whoever draws to say; drawing.cpp has Boost.Graph
// write it down.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nestwalk {

struct Drawing {
    /// Graphviz attributes, as {"label", "two\nlines"}: plain text, whose line breaks are kept.
    using Attributes = std::vector<std::pair<std::string, std::string>>;

    struct Box {
        std::string id{};  ///< unique, printable, no quotes and backslashes
        Attributes attributes{};
    };
    struct Line {
        std::size_t from{};  ///< indices of boxes
        std::size_t to{};
        Attributes attributes{};
    };
    struct Frame {
        std::string id{};
        Attributes attributes{};
        std::vector<std::size_t> boxes{};
    };

    Attributes attributes{};
    Attributes of_boxes{};  ///< unless a box has its own
    Attributes of_lines{};
    std::vector<Box> boxes{};
    std::vector<Line> lines{};
    std::vector<Frame> frames{};
    std::vector<std::vector<std::size_t>> rows{};  ///< boxes side by side
};

/// The drawing in the DOT language.
std::string dot(const Drawing& drawing);

}  // namespace nestwalk
