#include "apps/walk_cycles.h"
#include "apps/number_format.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace nestwalk {

bool has_caches(const Experiment& experiment) {
    const auto all = experiment.machine.parameters.caches.all();
    return std::any_of(all.begin(), all.end(),
                       [](const CacheParameters* cache) { return cache->bytes != 0; });
}

const char* found_in(LineSource source) {
    switch (source) {
        case LineSource::kL1:
            return "L1D";
        case LineSource::kL2:
            return "L2";
        case LineSource::kL3:
            return "L3";
        case LineSource::kMemory:
        case LineSource::kNone:
            break;
    }
    return "memory";
}

std::string cycles_words(Cycles cycles) {
    return readable_thousandths(static_cast<std::uint64_t>(cycles.milli));
}

std::vector<std::pair<const char*, Cycles>> cost_parts(const WalkCosts& costs) {
    std::vector<std::pair<const char*, Cycles>> parts{{"STLB", costs.stlb},
                                                      {"walk", costs.walk},
                                                      {"look-ups", costs.lookups},
                                                      {"reads", costs.lines},
                                                      {"A/D", costs.accessed_dirty}};
    std::erase_if(parts, [](const auto& part) { return part.second == Cycles{}; });
    return parts;
}

std::string latency_words(const WalkGraph& graph) {
    std::string words = cycles_words(graph.latency.total());
    const char* separator = ":";
    for (const auto& [name, cycles] : cost_parts(graph.latency)) {
        words += fmt::format("{} {} {}", separator, name, cycles_words(cycles));
        separator = ",";
    }
    return words;
}

std::vector<Cycles> read_cycles(const WalkGraph& graph) {
    std::vector<Cycles> cycles;
    for (const WalkEdge& edge : graph.edges) {
        if (edge.kind != WalkEdge::Kind::kNext) continue;
        if (graph.vertices[edge.to].kind != WalkVertex::Kind::kRead) continue;
        cycles.push_back(edge.costs.lines + edge.costs.accessed_dirty);
    }
    return cycles;
}

}  // namespace nestwalk
