#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "apps/number_format.h"
#include "apps/output.h"
#include "apps/trace_census.h"
#include "apps/trace_input.h"
#include "models/hex.h"
#include "sim/replay.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kItemsBetweenChecks = 1024;
/// Names of phases and spaces in the text; JSON has all that are known.
constexpr std::size_t kMostNamesShown = 10;

TraceCensus census_of(TraceSource& source) {
    TraceCensus census;
    for (std::uint64_t items = 0;; ++items) {
        if (items % kItemsBetweenChecks == 0 && interrupted()) throw Interrupted{};
        if (const AccessRun run = source.next_accesses(); !run.empty()) {
            if (interrupted()) throw Interrupted{};
            census.add(run);
            continue;
        }
        const TraceItem* const item = source.next();
        if (item == nullptr) return census;
        census.add(*item);
    }
}

std::string count_text(std::uint64_t count, bool is_exact) {
    return (is_exact ? "" : "more than ") + with_thousands(count);
}

/// A sum that did not fit in 64 bits is the largest number.
std::string references_text(std::uint64_t count) {
    return count == UINT64_MAX ? "2^64 or more" : with_thousands(count);
}

class Lines {
public:
    void add(const std::string& name, const std::string& value) {
        text_ += fmt::format("{:<16}{}\n", name, value);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_{};
};

void add_pages(Lines& lines, const std::string& what, const PageCensus& pages,
               const std::optional<TraceCensus::Range>& range) {
    if (!range) return;
    lines.add(what + " pages", count_text(pages.pages_4k(), pages.is_exact()) + " of 4K, " +
                                   count_text(pages.pages_2m(), pages.is_exact()) + " of 2M");
    lines.add(what + " range", to_hex(range->first) + " to " + to_hex(range->last));
}

void add_names(Lines& lines, const std::string& what, const TraceCensus::Names& names) {
    if (names.count == 0) return;
    std::string text = with_thousands(names.count) + ":";
    for (std::size_t i = 0; i < names.first.size() && i < kMostNamesShown; ++i)
        text += (i == 0 ? " " : ", ") + names.first[i];
    if (names.count > kMostNamesShown) text += ", ...";
    lines.add(what, text);
}

std::string text_report(const OpenedTrace& trace, const TraceCensus& census) {
    Lines lines;
    lines.add("trace", trace.source->name());
    lines.add("format",
              fmt::format("{}, compression {}", name_of(trace.format), trace.compression));
    for (const auto& [name, value] : trace.source->properties()) lines.add(name, value);
    lines.add("records",
              fmt::format("{}, {} of them at top level", with_thousands(census.records()),
                          with_thousands(census.items())));
    for (const auto& [word, count] : census.by_word())
        lines.add("  " + word, with_thousands(count));
    lines.add("data references", references_text(census.data_references()));
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kFetch}) {
        const TraceCensus::References& of = census.references(kind);
        if (of.user == 0 && of.kernel == 0) continue;
        lines.add(std::string("  ") + name_of(kind),
                  fmt::format("{} by user code, {} by kernel code", references_text(of.user),
                              references_text(of.kernel)));
    }
    add_pages(lines, "data", census.data_pages(), census.data_range());
    add_pages(lines, "code", census.code_pages(), census.code_range());
    add_names(lines, "phases", census.phases());
    add_names(lines, "spaces", census.spaces());
    if (!census.cpus().empty())
        lines.add("vCPUs", fmt::format("{}, the last {}", with_thousands(census.cpus().size()),
                                       *census.cpus().rbegin()));
    if (census.blocks() != 0)
        lines.add("repeat blocks", fmt::format("{}, at most {} in one another",
                                               with_thousands(census.blocks()), census.deepest()));
    if (const auto& captured = census.captured_ns())
        lines.add("captured", fmt::format("t={} to {} ns", captured->first, captured->last));
    if (const auto cut = trace.source->cut_short()) lines.add("not whole", cut->reason);
    return lines.take();
}

Json pages_json(const PageCensus& pages, const std::optional<TraceCensus::Range>& range) {
    Json json{{"pages_4K", pages.pages_4k()},
              {"pages_2M", pages.pages_2m()},
              {"exact", pages.is_exact()}};
    if (range) {
        json["first"] = to_hex(range->first);
        json["last"] = to_hex(range->last);
    }
    return json;
}

Json names_json(const TraceCensus::Names& names) {
    return {{"count", names.count}, {"names", names.first}};
}

std::string json_report(const OpenedTrace& trace, const TraceCensus& census) {
    Json json{{"trace", trace.source->name()},
              {"format", name_of(trace.format)},
              {"compression", trace.compression}};
    json["properties"] = Json::object();
    for (const auto& [name, value] : trace.source->properties()) json["properties"][name] = value;
    json["records"] = census.records();
    json["top_level_records"] = census.items();
    json["by_word"] = census.by_word();
    json["data_references"] = census.data_references();
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kFetch}) {
        const TraceCensus::References& of = census.references(kind);
        json["references"][name_of(kind)] = {{"user", of.user}, {"kernel", of.kernel}};
    }
    json["data"] = pages_json(census.data_pages(), census.data_range());
    json["code"] = pages_json(census.code_pages(), census.code_range());
    json["phases"] = names_json(census.phases());
    json["spaces"] = names_json(census.spaces());
    json["vcpus"] = census.cpus();
    json["repeat"] = {{"blocks", census.blocks()}, {"deepest", census.deepest()}};
    if (const auto& captured = census.captured_ns())
        json["captured_ns"] = {{"first", captured->first}, {"last", captured->last}};
    if (const auto cut = trace.source->cut_short())
        json["truncated"] = {{"good_records", cut->good_records}, {"reason", cut->reason}};
    return json.dump(2) + "\n";
}

}  // namespace

int trace_info_command(const TraceInfoOptions& options) {
    const OpenedTrace trace = open_input(options.in);
    const TraceCensus census = census_of(*trace.source);
    note_input(*trace.source);
    write_stdout(options.format == ReportFormat::kJson ? json_report(trace, census)
                                                       : text_report(trace, census));
    return kExitDone;
}

}  // namespace nestwalk
