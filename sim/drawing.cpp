#include "sim/drawing.h"

#include <ostream>
#include <sstream>
#include <string_view>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/property_map.hpp>

namespace nestwalk {
namespace {

// Bidirectional graphs alone keep a list of all edges, in the order in which they were added.
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                          boost::property<boost::edge_index_t, std::size_t>>;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

/// A quoted string; DOT takes a backslash for an escape, and \n for a line break.
std::string in_quotes(std::string_view text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter == '\n' ? std::string("\\n") : std::string(1, letter);
    }
    return quoted + "\"";
}

std::string in_brackets(const Drawing::Attributes& attributes) {
    std::string text;
    for (const auto& [name, value] : attributes) {
        text += (text.empty() ? " [" : ", ") + name + "=" + in_quotes(value);
    }
    return text.empty() ? text : text + "]";
}

void write_statements(std::ostream& out, const char* indent,
                      const Drawing::Attributes& attributes) {
    for (const auto& [name, value] : attributes) {
        out << indent << name << "=" << in_quotes(value) << ";\n";
    }
}

void write_members(std::ostream& out, const Drawing& drawing,
                   const std::vector<std::size_t>& boxes) {
    for (const std::size_t box : boxes) out << " " << in_quotes(drawing.boxes[box].id) << ";";
}

/// All that stands before the boxes.
void write_head(std::ostream& out, const Drawing& drawing) {
    write_statements(out, "", drawing.attributes);
    if (!drawing.of_boxes.empty()) out << "node" << in_brackets(drawing.of_boxes) << ";\n";
    if (!drawing.of_lines.empty()) out << "edge" << in_brackets(drawing.of_lines) << ";\n";
    for (const Drawing::Frame& frame : drawing.frames) {
        out << "subgraph " << in_quotes("cluster_" + frame.id) << " {\n";
        write_statements(out, "  ", frame.attributes);
        write_members(out << " ", drawing, frame.boxes);
        out << "\n}\n";
    }
    for (const std::vector<std::size_t>& row : drawing.rows) {
        write_members(out << "{ rank=same;", drawing, row);
        out << " }\n";
    }
}

}  // namespace

std::string dot(const Drawing& drawing) {
    Graph graph(drawing.boxes.size());
    for (std::size_t line = 0; line < drawing.lines.size(); ++line) {
        boost::add_edge(drawing.lines[line].from, drawing.lines[line].to, line, graph);
    }
    std::vector<std::string> ids;
    for (const Drawing::Box& box : drawing.boxes) ids.push_back(box.id);

    std::ostringstream out;
    boost::write_graphviz(
        out, graph,
        [&](std::ostream& stream, std::size_t box) {
            stream << in_brackets(drawing.boxes[box].attributes);
        },
        [&](std::ostream& stream, const Edge& edge) {
            const std::size_t line = boost::get(boost::edge_index, graph, edge);
            stream << in_brackets(drawing.lines[line].attributes);
        },
        [&](std::ostream& stream) { write_head(stream, drawing); },
        boost::make_iterator_property_map(ids.begin(), boost::get(boost::vertex_index, graph)));
    return out.str();
}

}  // namespace nestwalk
