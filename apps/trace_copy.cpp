#include "apps/trace_copy.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "sim/replay.h"
#include "traces/binary_trace_writer.h"
#include "traces/source_location.h"
#include "traces/text_trace_writer.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace nestwalk {
namespace {

constexpr std::uint64_t kItemsBetweenChecks = 1024;

TraceFormat format_of(const TraceTarget& target) {
    if (target.format != TraceFormat::kAuto) return target.format;
    if (target.path.ends_with(".nwt")) return TraceFormat::kNwt;
    if (target.path.ends_with(".nwb")) return TraceFormat::kNwb;
    throw InputError({"--to"}, fault("not known which form is to be written", target.path,
                                     "--to nwt, --to nwb, or a file that is named so"));
}

std::unique_ptr<TraceWriter> writer_of(TraceFormat format, std::ostream& stream) {
    if (format == TraceFormat::kNwt) return std::make_unique<TextTraceWriter>(stream);
    return std::make_unique<BinaryTraceWriter>(stream, "nestwalk " NESTWALK_VERSION);
}

/// What is left of a run without its first `count` accesses.
AccessRun without_first(const AccessRun& run, std::size_t count) {
    AccessRun rest = run;
    rest.accesses = run.accesses.subspan(count);
    if (!run.captured_ns.empty()) rest.captured_ns = run.captured_ns.subspan(count);
    return rest;
}

AccessRun only_first(const AccessRun& run, std::size_t count) {
    AccessRun rest = run;
    rest.accesses = run.accesses.first(count);
    if (!run.captured_ns.empty()) rest.captured_ns = run.captured_ns.first(count);
    return rest;
}

}  // namespace

TraceOutput::TraceOutput(const TraceTarget& target) : TraceOutput(target.path, format_of(target)) {}

TraceOutput::TraceOutput(const std::string& path, TraceFormat format)
    : file_(path), writer_(writer_of(format, file_.stream())) {}

void TraceOutput::check() {
    if (interrupted()) throw Interrupted{};
    file_.check();
}

int TraceOutput::fill(const std::function<void()>& write) {
    bool stopped = false;
    try {
        write();
    } catch (const Interrupted&) {
        stopped = true;
    } catch (const InputError&) {
        if (!interrupted()) throw;
        stopped = true;  // in a read that was broken off
    }
    if (!stopped) {
        writer_->finish();
        file_.commit();
        return kExitDone;
    }
    writer_->flush();
    fmt::print(stderr, "nestwalk: interrupted; what was written until then is in {}\n",
               file_.keep());
    return kExitInterrupted;
}

std::uint64_t copy(TraceSource& source, const RecordRange& range, TraceOutput& output) {
    std::uint64_t skip = range.skip - source.skip(range.skip);
    std::uint64_t written = 0;
    for (std::uint64_t items = 0; written < range.limit;) {
        if (items++ % kItemsBetweenChecks == 0) output.check();
        AccessRun run = source.next_accesses();
        if (!run.empty()) {
            const std::uint64_t skipped = std::min<std::uint64_t>(skip, run.accesses.size());
            skip -= skipped;
            run = without_first(run, skipped);
            run = only_first(run,
                             std::min<std::uint64_t>(range.limit - written, run.accesses.size()));
            output.writer().write(run);
            written += run.accesses.size();
            output.check();
            continue;
        }
        const TraceItem* const item = source.next();
        if (item == nullptr) break;
        if (skip != 0) {
            --skip;
            continue;
        }
        output.writer().write(*item);
        ++written;
    }
    return written;
}

}  // namespace nestwalk
