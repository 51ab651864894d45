#include "apps/trace_copy.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "apps/trace_part.h"
#include "sim/replay.h"
#include "traces/binary_trace_writer.h"
#include "traces/source_location.h"
#include "traces/text_trace_writer.h"
#include "traces/wording.h"

#include <fmt/format.h>

namespace nestwalk {
namespace {

TraceFormat format_of(const TraceTarget& target) {
    if (target.format != TraceFormat::kAuto) return target.format;
    const TraceFormat named = format_named_by(target.path);
    if (named == TraceFormat::kAuto)
        throw InputError({"--to"}, fault("not known which form is to be written", target.path,
                                         "--to nwt, --to nwb, or a file that is named so"));
    return named;
}

std::unique_ptr<TraceWriter> writer_of(TraceFormat format, std::ostream& stream) {
    if (format == TraceFormat::kNwt) return std::make_unique<TextTraceWriter>(stream);
    return std::make_unique<BinaryTraceWriter>(stream, "nestwalk " NESTWALK_VERSION);
}

}  // namespace

TraceFormat format_named_by(const std::string& path) {
    if (path.ends_with(".nwt")) return TraceFormat::kNwt;
    if (path.ends_with(".nwb")) return TraceFormat::kNwb;
    return TraceFormat::kAuto;
}

TraceOutput::TraceOutput(const TraceTarget& target) : TraceOutput(target.path, format_of(target)) {}

TraceOutput::TraceOutput(const std::string& path, TraceFormat format)
    : file_(path, "the trace"), writer_(writer_of(format, file_.stream())) {}

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
        file_.finish();
        return kExitDone;
    }
    writer_->flush();
    fmt::print(stderr, "nestwalk: interrupted; what was written until then is in {}\n",
               file_.keep());
    return kExitInterrupted;
}

void copy(TraceSource& source, const RecordRange& range, TraceOutput& output) {
    TracePart part(source, &interrupted());
    part.pass_over(range.skip);
    part.begin(range.limit);
    for (std::uint64_t number = 0;; ++number) {
        output.check(number);
        if (const AccessRun run = part.next_accesses(); !run.empty()) {
            output.writer().write(run);
            output.check();
        } else if (const TraceItem* const item = part.next()) {
            output.writer().write(*item);
        } else {
            return;
        }
    }
}

}  // namespace nestwalk
