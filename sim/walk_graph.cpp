#include "sim/walk_graph.h"
#include "sim/digraph.h"

#include <optional>

namespace nestwalk {
namespace {

using Group = StructureLookup::Group;
using Kind = WalkVertex::Kind;

/// Goes through what the walk did, in its order, as the engines do.
class Builder {
public:
    Builder(const Outcome& outcome, const TimingParameters& timing)
        : outcome_(outcome), timing_(timing) {
        graph_.timed = timing.enabled;
        graph_.vertices.push_back({Kind::kRequest, 0});
    }

    WalkGraph build() {
        look_up_tlbs();
        if (outcome_.start_level != 0) {
            due_.costs.walk += cycles(timing_.walk);
            look_ups_after(0);
            for (std::size_t read = 0; read < outcome_.reads.size(); ++read) {
                add_read(read);
                look_ups_after(read + 1);
            }
        }
        const std::size_t last = graph_.vertices.size() - 1;
        add({Kind::kEnd, 0});
        merge_leaf(last);
        if (graph_.timed) measure();
        return std::move(graph_);
    }

private:
    Cycles cycles(Latency latency) const {
        return graph_.timed ? timing_.cycles(latency) : Cycles{};
    }

    /// The next vertex of the chain, after all that is due before it.
    void add(WalkVertex vertex) {
        due_.from = graph_.vertices.size() - 1;
        due_.to = graph_.vertices.size();
        graph_.vertices.push_back(vertex);
        graph_.edges.push_back(due_);
        since_line_ += due_.costs.total();
        due_ = {};
    }

    void look_up_tlbs() {
        const bool asked = outcome_.result != TranslationResult::kNone &&
                           outcome_.fault.kind != FaultKind::kGeneralProtection;
        if (!asked) return;
        if (outcome_.l1_missed) due_.costs.stlb = cycles(timing_.stlb);
        if (!outcome_.stlb_missed) add({Kind::kTlbHit, 0});
    }

    void look_ups_after(std::size_t reads) {
        for (; lookup_ < outcome_.lookups.size() && outcome_.lookups[lookup_].after_reads <= reads;
             ++lookup_) {
            const Group group = outcome_.lookups[lookup_].group;
            due_.costs.lookups += cycles(
                group == Group::kPagingStructures ? timing_.paging_structure_cache
                : group == Group::kNestedTlb      ? timing_.nested_tlb
                                                  : timing_.guest_physical_paging_structure_cache);
            if (is_used(lookup_)) add({Kind::kFound, lookup_});
        }
    }

    /// True if the walk went on with what the look-up found. A guest-physical translation that is
    /// found is not enough for a write that must set D: then the walk goes through the host's
    /// tables all the same.
    bool is_used(std::size_t lookup) const {
        const StructureLookup& here = outcome_.lookups[lookup];
        if (here.filled_by == FillId{}) return false;
        if (here.group != Group::kNestedTlb) return true;
        return here.after_reads == outcome_.reads.size() ||
               outcome_.reads[here.after_reads].dimension == Dimension::kGuest;
    }

    void add_read(std::size_t read) {
        const EntryRead& entry = outcome_.reads[read];
        if (graph_.timed) due_.costs.lines = line_latency(entry.line.source, timing_);
        due_.costs.accessed_dirty =
            cycles(timing_.accessed_dirty) *
            (std::int64_t{entry.set_accessed} + std::int64_t{entry.set_dirty});
        const Cycles flags = due_.costs.accessed_dirty;
        add({Kind::kRead, read});
        if (graph_.timed && entry.line.source != LineSource::kL1) space_lines(flags);
    }

    /// Rule 11. `flags` is what came after the line until the entry was read.
    void space_lines(Cycles flags) {
        const std::size_t here = graph_.vertices.size() - 1;
        if (last_line_) {
            WalkEdge edge{
                .from = last_line_->vertex, .to = here, .kind = WalkEdge::Kind::kInterval};
            edge.costs.lines = cycles(timing_.line_interval) - last_line_->flags;
            edge.costs.accessed_dirty = flags;
            if (edge.costs.total() > since_line_) graph_.edges.push_back(edge);
        }
        last_line_ = {here, flags};
        since_line_ = {};
    }

    /// A nested translation is made of two leaves. The last read or look-up gives the host's.
    void merge_leaf(std::size_t last) {
        if (outcome_.fault.raised()) return;
        for (std::size_t at = last; at > 0; --at) {
            const WalkVertex& vertex = graph_.vertices[at];
            if (vertex.kind != Kind::kRead) continue;
            if (outcome_.reads[vertex.index].dimension != Dimension::kGuest) continue;
            if (at == last) return;  // native
            graph_.edges.push_back({.from = at, .to = last + 1, .kind = WalkEdge::Kind::kMerge});
            return;
        }
    }

    void measure() {
        Digraph lengths{.vertices = graph_.vertices.size()};
        for (const WalkEdge& edge : graph_.edges) {
            lengths.arcs.push_back({edge.from, edge.to, edge.costs.total()});
        }
        graph_.longest = longest_path(lengths, 0, graph_.vertices.size() - 1);
        for (const std::size_t edge : graph_.longest) {
            graph_.latency += graph_.edges[edge].costs;
        }
    }

    struct LastLine {
        std::size_t vertex{};
        Cycles flags{};
    };

    const Outcome& outcome_;
    const TimingParameters& timing_;
    WalkGraph graph_{};
    WalkEdge due_{};  ///< takes time before the next vertex
    std::size_t lookup_{};
    std::optional<LastLine> last_line_{};
    Cycles since_line_{};  ///< along the chain, from that vertex to the present one
};

}  // namespace

WalkCosts& WalkCosts::operator+=(const WalkCosts& other) {
    stlb += other.stlb;
    walk += other.walk;
    lookups += other.lookups;
    lines += other.lines;
    accessed_dirty += other.accessed_dirty;
    return *this;
}

WalkGraph walk_graph(const Outcome& outcome, const TimingParameters& timing) {
    return Builder(outcome, timing).build();
}

Cycles line_latency(LineSource source, const TimingParameters& timing) {
    switch (source) {
        case LineSource::kL1:
            return timing.cycles(timing.l1d);
        case LineSource::kL2:
            return timing.cycles(timing.l2);
        case LineSource::kL3:
            return timing.cycles(timing.l3);
        case LineSource::kMemory:
        case LineSource::kNone:  // a machine without caches
            break;
    }
    return timing.cycles(timing.memory);
}

}  // namespace nestwalk
