#include "apps/walk_cycles.h"
#include "apps/walk_report.h"
#include "apps/walk_words.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using Json = nlohmann::ordered_json;

std::string plain_hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

const char* kind_word(AccessKind kind) {
    return kind == AccessKind::kLoad ? "load" : kind == AccessKind::kStore ? "store" : "fetch";
}

const char* paging_word(const TracedWalk& walk) {
    if (walk.regime.nested) return "nested";
    return walk.in_shadow() ? "shadow" : "native";
}

Json where_json(const TracedWalk& walk) {
    const Regime& regime = walk.regime;
    const bool amd = regime.vendor == Vendor::kAmd;
    Json json{{"software", walk.software}, {"space", walk.space}, {"paging", paging_word(walk)}};
    json["tables"] = {{"root", plain_hex(regime.linear.root)}, {"levels", regime.linear.levels}};
    if (regime.nested) {
        json["host_tables"] = {{"root", plain_hex(regime.host.root)},
                               {"levels", regime.host.levels},
                               {"accessed_dirty", regime.host_accessed_dirty}};
    }
    json["tags"] = {{amd ? "asid" : "vpid", regime.context}, {"pcid", regime.pcid.value()}};
    if (regime.nested && !amd) json["tags"]["ep4ta"] = plain_hex(regime.ep4ta.value());
    return json;
}

Json rights_json(const Rights& rights, const Regime& regime) {
    Json json{{"user", rights.user}, {"write", rights.writable}, {"execute", !rights.no_execute}};
    if (regime.nested) {
        json["host_read"] = rights.host_readable;
        json["host_write"] = rights.host_writable;
        json["host_execute"] = rights.host_executable;
    }
    return json;
}

Json cached_json(const Regime& regime, const CachedStep& cached) {
    static constexpr std::array<const char*, 3> kKinds{"linear", "combined", "guest-physical"};
    const Mapping& mapping = cached.mapping;
    const bool page = mapping.key.role == MappingRole::kTranslation;
    Json json{{"array", cached.array},
              {"mapping", kKinds[static_cast<std::size_t>(mapping.key.kind)]},
              {"what", page ? "translation" : "paging-structure entry"},
              {"covers", covered_words(mapping.key)},
              {"address", plain_hex(mapping.key.page << mapping.key.shift())}};
    const bool guest_only = !page && mapping.key.kind == MappingKind::kCombined &&
                            regime.combined_target == CombinedTarget::kGuestPhysical;
    if (!guest_only) json["host_physical"] = plain_hex(mapping.target);
    if (mapping.key.kind == MappingKind::kCombined) {
        json["guest_physical"] = plain_hex(mapping.guest_target);
    }
    if (page) {
        json["fractured"] = mapping.fractured();
        json["global"] = mapping.global;
    }
    return json;
}

Json cached_list(const Regime& regime, const std::vector<CachedStep>& cached) {
    Json list = Json::array();
    for (const CachedStep& step : cached) list.push_back(cached_json(regime, step));
    return list;
}

Json entry_json(const WalkStep& step) {
    const DecodedEntry& entry = step.entry;
    Json json{{"raw", plain_hex(step.read.raw)}, {"present", entry.present}};
    if (!entry.present) return json;
    json["misformed"] = entry.misformed;
    json["leaf"] = entry.leaf;
    json["points_to"] = plain_hex(entry.target);
    json["read"] = entry.readable;
    json["write"] = entry.writable;
    json["execute"] = !entry.no_execute;
    json["user"] = entry.user;
    json["global"] = entry.global;
    json["accessed"] = entry.accessed;
    json["dirty"] = entry.dirty;
    return json;
}

Json step_json(const Regime& regime, std::size_t number, const WalkStep& step) {
    const bool guest = step.read.dimension == Dimension::kGuest;
    Json json{{"number", number}};
    if (regime.nested) json["dimension"] = guest ? "guest" : "host";
    json["entry"] = entry_name(regime, step.read.dimension, step.read.level);
    json["level"] = step.read.level;
    json["index"] = step.index;
    if (regime.nested) {
        if (!guest) json["to_find"] = locates_words(regime, step);
        json["guest_physical"] = plain_hex(step.guest_physical);
    }
    json["host_physical"] = plain_hex(step.read.location.value());
    json["says"] = entry_json(step);
    json["set_accessed"] = step.read.set_accessed;
    json["set_dirty"] = step.read.set_dirty;
    if (!step.note.empty()) json["skipped_before"] = step.note;
    json["cached"] = cached_list(regime, step.cached);
    return json;
}

Json cycles_json(const WalkCosts& costs) {
    return {{"total", costs.total().value()}, {"stlb", costs.stlb.value()},
            {"walk", costs.walk.value()},     {"lookups", costs.lookups.value()},
            {"reads", costs.lines.value()},   {"accessed_dirty", costs.accessed_dirty.value()}};
}

Json result_json(const TracedWalk& walk, const WalkGraph& graph) {
    const Outcome& outcome = walk.outcome;
    Json json{{"outcome", name_of(outcome.result)}, {"explanation", ending_words(walk)}};
    if (outcome.fault.raised()) {
        json["fault"] = {{"kind", name_of(outcome.fault.kind)}};
        if (outcome.fault.exits()) {
            json["fault"]["guest_physical"] = plain_hex(outcome.fault.gpa.value());
        }
    } else {
        json["host_physical"] = plain_hex(outcome.physical);
    }
    if (outcome.page_level != 0) {
        json["page_size"] = name_of(page_size_of_level(outcome.page_level));
        json["coalesced_pages"] = std::uint64_t{1} << outcome.page_span;
        json["whole_page_size"] = name_of(page_size_of_level(outcome.whole_level));
    }
    if (outcome.page_level != 0 && walk.translation) {
        json["fractured"] = walk.translation->fractured();
        json["rights"] = rights_json(walk.translation->rights, walk.regime);
    }
    json["stale"] = outcome.stale;
    json["ambiguous"] = outcome.ambiguous;
    const auto guest = outcome.reads_of(Dimension::kGuest);
    const auto host = outcome.reads_of(Dimension::kHost);
    json["reads"] = {{"guest", guest}, {"host", host}, {"total", guest + host}};
    if (graph.timed) json["cycles"] = cycles_json(graph.latency);
    return json;
}

}  // namespace

std::string walk_json(const Experiment& experiment, WalkState state, const TracedWalk& walk) {
    Json json;
    json["title"] = experiment.title;
    json["machine"] = experiment.machine.parameters.name;
    json["state"] = state == WalkState::kStart ? "start of the trace" : "after the workload";
    json["access"] = {{"kind", kind_word(walk.access.kind)},
                      {"privilege", "user"},
                      {"address", plain_hex(walk.access.va.value())}};
    json["where"] = where_json(walk);
    json["lookup"] = {{"start", name_of_start(walk.outcome.start_level)},
                      {"explanation", lookup_words(walk)},
                      {"cached", cached_list(walk.regime, walk.cached_first)}};
    const WalkGraph graph = walk_graph(walk.outcome, experiment.machine.timing);
    const std::vector<Cycles> cycles = read_cycles(graph);
    json["reads"] = Json::array();
    for (std::size_t at = 0; at < walk.steps.size(); ++at) {
        Json step = step_json(walk.regime, at + 1, walk.steps[at]);
        if (has_caches(experiment)) step["found_in"] = found_in(walk.steps[at].read.line.source);
        if (graph.timed) step["cycles"] = cycles[at].value();
        json["reads"].push_back(std::move(step));
    }
    if (!walk.last_note.empty()) json["skipped_last"] = walk.last_note;
    json["result"] = result_json(walk, graph);
    return json.dump(2) + "\n";
}

}  // namespace nestwalk
