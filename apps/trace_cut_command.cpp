#include "apps/commands.h"
#include "apps/trace_copy.h"
#include "apps/trace_input.h"
#include "traces/source_location.h"

#include <cstddef>
#include <optional>

namespace nestwalk {
namespace {

std::optional<std::uint64_t> captured_ns(const TraceItem& item) {
    if (const auto* block = std::get_if<RepeatBlock>(&item)) return block->captured_ns;
    return std::get<Record>(item).captured_ns;
}

/// Which records of a trace were captured in a span of time; one without a time goes with the one
/// before it.
class TimeWindow {
public:
    explicit TimeWindow(const TimeRange& range) : range_(range), inside_(range.from == 0) {}

    bool takes(const std::optional<std::uint64_t>& t) {
        if (!t) return inside_;
        timed_ = true;
        return inside_ = *t >= range_.from && *t < range_.to;
    }
    bool has_times() const { return timed_; }

private:
    TimeRange range_;
    bool inside_;
    bool timed_{};
};

/// Writes the accesses of a run that the window takes, as many at a time as follow one another.
void write_taken(const AccessRun& run, TimeWindow& window, TraceWriter& writer) {
    if (run.captured_ns.empty()) {
        if (window.takes(std::nullopt)) writer.write(run);
        return;
    }
    for (std::size_t first = 0; first < run.accesses.size();) {
        std::size_t end = first;
        while (end < run.accesses.size() && window.takes(run.captured_ns[end])) ++end;
        if (end != first) writer.write(run.part(first, end - first));
        first = end + 1;
    }
}

void copy_captured(TraceSource& source, const TimeRange& range, TraceOutput& output) {
    TimeWindow window(range);
    for (std::uint64_t items = 0;; ++items) {
        output.check(items);
        if (const AccessRun run = source.next_accesses(); !run.empty()) {
            write_taken(run, window, output.writer());
            continue;
        }
        const TraceItem* const item = source.next();
        if (item == nullptr) break;
        if (window.takes(captured_ns(*item))) output.writer().write(*item);
    }
    if (!window.has_times())
        throw InputError({source.name()},
                         "no record has a time of capture, t=; expected --skip and --limit, which "
                         "count records, or a trace with times");
}

/// The target, in the form of the trace unless its name says one.
TraceTarget with_form(TraceTarget target, TraceFormat format_of_trace) {
    if (format_named_by(target.path) == TraceFormat::kAuto)
        target.format =
            format_of_trace == TraceFormat::kNwb ? TraceFormat::kNwb : TraceFormat::kNwt;
    return target;
}

}  // namespace

int trace_head_command(const TraceHeadOptions& options) {
    const OpenedTrace in = open_input(options.in);
    TraceOutput out({.path = "-", .format = TraceFormat::kNwt});
    const int status = out.fill([&] { copy(*in.source, options.records, out); });
    note_cut_short(*in.source);
    return status;
}

int trace_cut_command(const TraceCutOptions& options) {
    const OpenedTrace in = open_input(options.in);
    TraceOutput out(with_form(options.out, in.format));
    const int status = out.fill([&] {
        if (options.time) {
            copy_captured(*in.source, *options.time, out);
        } else {
            copy(*in.source, options.records, out);
        }
    });
    note_cut_short(*in.source);
    return status;
}

}  // namespace nestwalk
