#include "apps/run_report.h"
#include "apps/walk_cycles.h"
#include "apps/walk_report.h"
#include "apps/walk_words.h"
#include "sim/drawing.h"
#include "sim/walk_graph.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace nestwalk {
namespace {

using Kind = WalkVertex::Kind;
using Group = StructureLookup::Group;

constexpr const char* kGuestColor = "#dce9f7";
constexpr const char* kFoundColor = "#e3f1dc";
constexpr const char* kEndColor = "#e8e8e8";

/// A nested walk is drawn in its two dimensions: a row for each entry of the guest, in which the
/// host's entries that say where it is stand in columns by their level. A native one is a row.
class Picture {
public:
    Picture(const Experiment& experiment, const TracedWalk& walk)
        : experiment_(experiment),
          walk_(walk),
          graph_(walk_graph(walk.outcome, experiment.machine.timing)) {}

    std::string draw(WalkState state) {
        drawing_.attributes = {{"label", caption(state)},
                               {"labelloc", "t"},
                               {"fontname", "Helvetica"},
                               {"nodesep", "0.5"},
                               {"ranksep", "0.45"}};
        drawing_.of_boxes = {{"shape", "box"}, {"fontname", "Helvetica"}, {"fontsize", "11"}};
        drawing_.of_lines = {{"fontname", "Helvetica"}, {"fontsize", "10"}};
        if (!walk_.regime.nested) drawing_.attributes.emplace_back("rankdir", "LR");
        for (std::size_t at = 0; at < graph_.vertices.size(); ++at) {
            drawing_.boxes.push_back({fmt::format("n{}", at), box(graph_.vertices[at])});
        }
        for (std::size_t at = 0; at < graph_.edges.size(); ++at) {
            const WalkEdge& edge = graph_.edges[at];
            drawing_.lines.push_back({edge.from, edge.to, line(at)});
        }
        if (walk_.regime.nested) arrange();
        return dot(drawing_);
    }

private:
    // --- Words ---

    std::string caption(WalkState state) const {
        const std::string times =
            graph_.timed ? "cycles " + latency_words(graph_) + "\nbold: the longest path"
                         : "The machine has no timing, so there are no cycles.";
        return fmt::format("{}\n{}\n{}\n{}", access_words(walk_), describe_system(experiment_),
                           state_words(experiment_, state), times);
    }

    Drawing::Attributes filled(const std::string& label, const char* color) const {
        return {{"label", label}, {"style", "filled"}, {"fillcolor", color}};
    }
    Drawing::Attributes rounded(const std::string& label, const char* color) const {
        return {{"label", label}, {"style", "filled,rounded"}, {"fillcolor", color}};
    }

    Drawing::Attributes box(const WalkVertex& vertex) const {
        switch (vertex.kind) {
            case Kind::kRequest:
                return rounded(
                    fmt::format("{} {}", name_of(walk_.access.kind), hex(walk_.access.va.value())),
                    kEndColor);
            case Kind::kTlbHit:
                return rounded(walk_.outcome.l1_missed ? "STLB hit" : "L1 TLB hit", kFoundColor);
            case Kind::kFound:
                return rounded(found_words(walk_.outcome.lookups[vertex.index]), kFoundColor);
            case Kind::kRead:
                break;
            case Kind::kEnd:
                return rounded(end_words(), kEndColor);
        }
        const WalkStep& step = walk_.steps[vertex.index];
        const Dimension dimension = step.read.dimension;
        const std::string label =
            fmt::format("{}[{}]\n{}", entry_name(walk_.regime, dimension, step.read.level),
                        step.index, hex(step.read.location.value()));
        if (dimension == Dimension::kHost) return {{"label", label}};
        return filled(label, kGuestColor);
    }

    std::string found_words(const StructureLookup& lookup) const {
        const Regime& regime = walk_.regime;
        if (lookup.group == Group::kPagingStructures) {
            return fmt::format("{}\nin {}",
                               entry_name(regime, Dimension::kGuest, walk_.outcome.start_level),
                               joined(walk_.start_arrays));
        }
        if (lookup.group == Group::kNestedTlb) return "nested TLB hit";
        const int level = walk_.steps[lookup.after_reads].read.level + 1;
        return fmt::format("{}\ncached", entry_name(regime, Dimension::kHost, level));
    }

    std::string end_words() const {
        const Outcome& outcome = walk_.outcome;
        if (outcome.fault.raised()) return name_of(outcome.fault.kind);
        return fmt::format("host-physical\n{}", hex(outcome.physical));
    }

    /// "walk 16\nL2 12": what of the reads is reading its one line is said by where that is.
    std::string costs_words(const WalkEdge& edge) const {
        if (edge.kind == WalkEdge::Kind::kInterval) {
            return "line interval " + cycles_words(edge.costs.total());
        }
        WalkCosts costs = edge.costs;
        costs.lines = {};
        std::string words;
        for (const auto& [name, cycles] : cost_parts(costs)) {
            words += fmt::format("{} {}\n", name, cycles_words(cycles));
        }
        const WalkVertex& to = graph_.vertices[edge.to];
        if (to.kind == Kind::kRead) {
            words += fmt::format("{} {}\n", found_in(walk_.steps[to.index].read.line.source),
                                 cycles_words(edge.costs.lines));
        }
        if (words.empty()) return "0";
        words.pop_back();
        return words;
    }

    Drawing::Attributes line(std::size_t number) const {
        const WalkEdge& edge = graph_.edges[number];
        Drawing::Attributes style;
        if (edge.kind == WalkEdge::Kind::kMerge) {
            style = {{"label", "size, rights"}, {"style", "dashed"}};
        } else if (graph_.timed) {
            style = {{"label", costs_words(edge)}};
        }
        const auto& longest = graph_.longest;
        const bool bold = std::find(longest.begin(), longest.end(), number) != longest.end();
        if (bold) style.emplace_back("penwidth", "2.5");
        return style;
    }

    // --- Layout of a nested walk ---

    int guest_column() const { return walk_.regime.host.levels + 1; }

    int column_of(const WalkVertex& vertex) const {
        const int levels = walk_.regime.host.levels;
        if (vertex.kind == Kind::kRead) {
            const EntryRead& read = walk_.outcome.reads[vertex.index];
            return read.dimension == Dimension::kGuest ? guest_column() : levels - read.level;
        }
        if (vertex.kind == Kind::kRequest) return column_of(graph_.vertices[1]);
        if (vertex.kind != Kind::kFound) return guest_column();
        const StructureLookup& lookup = walk_.outcome.lookups[vertex.index];
        if (lookup.group == Group::kPagingStructures) return guest_column();
        if (lookup.group == Group::kNestedTlb) return levels - 1;
        return levels - walk_.steps[lookup.after_reads].read.level - 1;
    }

    void arrange() {
        std::map<int, std::size_t> last_in_column;
        drawing_.rows.emplace_back();
        for (std::size_t at = 0; at < graph_.vertices.size(); ++at) {
            const int column = column_of(graph_.vertices[at]);
            drawing_.rows.back().push_back(at);
            if (const auto above = last_in_column.find(column); above != last_in_column.end()) {
                drawing_.lines.push_back(
                    {above->second, at, {{"style", "invis"}, {"weight", "20"}}});
            }
            last_in_column[column] = at;
            if (column == guest_column() || at == 0) drawing_.rows.emplace_back();
        }
        drawing_.rows.pop_back();
    }

    const Experiment& experiment_;
    const TracedWalk& walk_;
    WalkGraph graph_;
    Drawing drawing_{};
};

}  // namespace

std::string walk_dot(const Experiment& experiment, WalkState state, const TracedWalk& walk) {
    return Picture(experiment, walk).draw(state);
}

}  // namespace nestwalk
