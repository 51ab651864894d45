#include "apps/walk_report.h"
#include "apps/run_report.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/walk_cycles.h"
#include "apps/walk_words.h"

#include <array>
#include <sstream>

#include <fmt/format.h>

namespace nestwalk {
namespace {

using Align = TextTable::Align;

constexpr const char* kIndent = "      ";
constexpr const char* kLegend =
    "\nA, D: set already when read; +A, +D: set by this walk.\n"
    "Lines with +: what was cached after the read above. In brackets: reads that a cache saved.\n";

std::string indices(VirtAddr va, int levels) {
    static constexpr std::array<const char*, kMaxLevels + 1> kTables{"",     "PT",   "PD",
                                                                     "PDPT", "PML4", "PML5"};
    std::string text;
    for (int level = levels; level >= 1; --level) {
        text += fmt::format("{} {}, ", kTables[static_cast<std::size_t>(level)],
                            table_index(va.value(), level));
    }
    return text + fmt::format("offset {:#x}", va.value() & (level_bytes(1) - 1));
}

std::string linear_tables(const TracedWalk& walk) {
    const Regime& regime = walk.regime;
    const char* space = regime.nested ? "guest-physical" : "host-physical";
    return fmt::format("CR3 {} ({}), {} levels{}", hex(regime.linear.root), space,
                       regime.linear.levels, walk.in_shadow() ? ", shadow tables" : "");
}

std::string host_tables(const Regime& regime) {
    return fmt::format("{} {} (host-physical), {} levels, accessed and dirty flags {}",
                       regime.vendor == Vendor::kAmd ? "nCR3" : "EPTP", hex(regime.host.root),
                       regime.host.levels, regime.host_accessed_dirty ? "on" : "off");
}

std::string tags(const Regime& regime) {
    std::string text =
        fmt::format("{} {}, PCID {}", regime.vendor == Vendor::kAmd ? "ASID" : "VPID",
                    regime.context, regime.pcid.value());
    if (regime.ep4ta.value() != 0) text += fmt::format(", EP4TA {:#x}", regime.ep4ta.value());
    return text;
}

std::string heading(const Experiment& experiment, WalkState state, const TracedWalk& walk) {
    const Regime& regime = walk.regime;
    TextTable table({Align::kLeft, Align::kLeft});
    table.add({"translate", access_words(walk)});
    table.add({"address", indices(walk.access.va, regime.linear.levels)});
    table.add({"machine", experiment.machine.parameters.title});
    table.add({"system", describe_system(experiment)});
    table.add({regime.nested ? "guest tables" : "tables", linear_tables(walk)});
    if (regime.nested) table.add({"host tables", host_tables(regime)});
    table.add({"tags", tags(regime)});
    table.add({"state", state_words(experiment, state)});
    return table.to_string();
}

/// What stands in a row besides what the walk says.
struct Times {
    bool caches{};
    std::vector<Cycles> reads{};  ///< empty without timing
};

Times times_of(const Experiment& experiment, const WalkGraph& graph) {
    return {has_caches(experiment), graph.timed ? read_cycles(graph) : std::vector<Cycles>{}};
}

std::vector<std::string> row(const Regime& regime, const Times& times, std::size_t at,
                             const WalkStep& step) {
    const bool guest = step.read.dimension == Dimension::kGuest;
    std::vector<std::string> cells{std::to_string(at + 1)};
    if (regime.nested) cells.emplace_back(guest ? "guest" : "host");
    cells.push_back(fmt::format("{}[{}]", entry_name(regime, step.read.dimension, step.read.level),
                                step.index));
    if (regime.nested) {
        cells.push_back(locates_words(regime, step));
        cells.push_back(hex(step.guest_physical));
    }
    cells.push_back(hex(step.read.location.value()));
    cells.push_back(target_words(step));
    cells.push_back(rights_words(regime, step));
    cells.push_back(accessed_dirty_words(regime, step));
    if (times.caches) cells.emplace_back(found_in(step.read.line.source));
    if (!times.reads.empty()) cells.push_back(cycles_words(times.reads[at]));
    return cells;
}

TextTable reads_table(const TracedWalk& walk, const Times& times) {
    std::vector<std::string> header{"#"};
    std::vector<Align> columns{Align::kRight};
    if (walk.regime.nested) header.emplace_back("dimension");
    header.emplace_back("entry");
    if (walk.regime.nested) header.insert(header.end(), {"to find", "guest-physical"});
    header.insert(header.end(), {"host-physical", "says", "rights", "A/D"});
    if (times.caches) header.emplace_back("found in");
    columns.resize(header.size(), Align::kLeft);
    if (!times.reads.empty()) {
        header.emplace_back("cycles");
        columns.push_back(Align::kRight);
    }
    TextTable table(columns);
    table.add(header);
    table.add_rule();
    for (std::size_t at = 0; at < walk.steps.size(); ++at) {
        table.add(row(walk.regime, times, at, walk.steps[at]));
    }
    return table;
}

void add_cached(const Regime& regime, const std::vector<CachedStep>& cached, std::string& text) {
    for (const CachedStep& step : cached) {
        text += fmt::format("{}+ {}\n", kIndent, cached_words(regime, step));
    }
}

void add_note(const std::string& note, std::string& text) {
    if (!note.empty()) text += fmt::format("{}({})\n", kIndent, note);
}

/// The table of reads, with what was skipped before and what was cached after each.
std::string reads(const TracedWalk& walk, const Times& times) {
    if (walk.steps.empty()) return "";
    std::istringstream lines(reads_table(walk, times).to_string());
    std::string text;
    std::string line;
    for (int header = 0; header < 2 && std::getline(lines, line); ++header) text += line + "\n";
    for (const WalkStep& step : walk.steps) {
        add_note(step.note, text);
        if (std::getline(lines, line)) text += line + "\n";
        add_cached(walk.regime, step.cached, text);
    }
    add_note(walk.last_note, text);
    return text + kLegend;
}

std::string read_counts(const TracedWalk& walk) {
    const auto guest = walk.outcome.reads_of(Dimension::kGuest);
    const auto host = walk.outcome.reads_of(Dimension::kHost);
    if (guest + host == 0) return "none";
    if (!walk.regime.nested) return std::to_string(guest);
    return fmt::format("{}: {} of the guest's entries, {} of the host's", guest + host, guest,
                       host);
}

std::string pages(const TracedWalk& walk) {
    const Outcome& outcome = walk.outcome;
    const char* whole = name_of(page_size_of_level(outcome.whole_level));
    std::string text = covered_words({.level = outcome.page_level, .span = outcome.page_span});
    text += fmt::format(", of a {} page{}", whole, walk.regime.nested ? " of the guest" : "");
    const bool fractured = walk.translation && walk.translation->fractured();
    if (!walk.regime.nested) return text;
    return text + (fractured ? ": fractured" : ": not fractured");
}

std::string result(const TracedWalk& walk, const WalkGraph& graph) {
    const Outcome& outcome = walk.outcome;
    TextTable table({Align::kLeft, Align::kLeft});
    const bool translated = !outcome.fault.raised();
    if (translated) table.add({"host-physical", hex(outcome.physical)});
    if (outcome.page_level != 0) {
        table.add({"page cached", pages(walk)});
        table.add({"rights", allowed_words(walk)});
    }
    table.add({"reads", read_counts(walk)});
    if (graph.timed) table.add({"cycles", latency_words(graph)});
    return table.to_string();
}

}  // namespace

std::string access_words(const TracedWalk& walk) {
    const char* kind = walk.access.kind == AccessKind::kLoad    ? "load from"
                       : walk.access.kind == AccessKind::kStore ? "store to"
                                                                : "fetch from";
    return fmt::format("{} {} by user code in {}, space {}", kind, hex(walk.access.va.value()),
                       walk.software, walk.space);
}

std::string state_words(const Experiment& experiment, WalkState state) {
    if (state == WalkState::kAfterWorkload) return "as the workload leaves it";
    std::string words = "start of the trace: caches empty";
    if (has_caches(experiment)) {
        const bool hot = experiment.system.cache_start == CacheStart::kHot;
        words = fmt::format("start of the trace: no translation cached, data caches {}",
                            hot ? "hot" : "cold");
    }
    const bool supplied = experiment.system.demand == Demand::kMapOnFirstTouch;
    return words + (supplied ? ", the page mapped on first touch" : ", nothing mapped");
}

std::string walk_text(const Experiment& experiment, WalkState state, const TracedWalk& walk) {
    std::string text = experiment.title.empty() ? "" : experiment.title + "\n\n";
    text += heading(experiment, state, walk) + "\n";
    for (const std::string& line : lookup_words(walk)) text += wrapped(line);
    add_cached(walk.regime, walk.cached_first, text);
    const WalkGraph graph = walk_graph(walk.outcome, experiment.machine.timing);
    const std::string table = reads(walk, times_of(experiment, graph));
    text += table.empty() ? "" : "\n" + table + "\n";
    for (const std::string& line : ending_words(walk)) text += wrapped(line);
    if (!text.ends_with("\n\n")) text += "\n";
    return text + result(walk, graph);
}

}  // namespace nestwalk
