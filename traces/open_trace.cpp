#include "traces/open_trace.h"
#include "traces/champsim_reader.h"
#include "traces/columns_reader.h"
#include "traces/din_reader.h"
#include "traces/drmemtrace_reader.h"
#include "traces/dynamorio_reader.h"
#include "traces/execlog_reader.h"
#include "traces/format_detection.h"
#include "traces/gem5_reader.h"
#include "traces/input_file.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/perf_reader.h"
#include "traces/pin_reader.h"
#include "traces/text_trace_reader.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace nestwalk {
namespace {

struct FormatRow {
    TraceFormat format;
    const char* name;
    const char* what;
};
constexpr std::array kFormats{
    FormatRow{TraceFormat::kAuto, "auto", ""},
    FormatRow{TraceFormat::kNwt, "nwt", "a nestwalk text trace"},
    FormatRow{TraceFormat::kNwb, "nwb", "a nestwalk binary trace"},
    FormatRow{TraceFormat::kLackey, "lackey", "the output of Valgrind's lackey"},
    FormatRow{TraceFormat::kPin, "pin", "Pin's pinatrace"},
    FormatRow{TraceFormat::kDynamorio, "dynamorio", "text of DynamoRIO's tools"},
    FormatRow{TraceFormat::kDrmemtrace, "drmemtrace", "DynamoRIO's binary traces"},
    FormatRow{TraceFormat::kChampsim, "champsim", "ChampSim's 64-byte records"},
    FormatRow{TraceFormat::kCloudsuite, "cloudsuite", "its 96-byte records"},
    FormatRow{TraceFormat::kDin, "din", "Dinero's din and extended din"},
    FormatRow{TraceFormat::kGem5, "gem5", "text of gem5's packet traces"},
    FormatRow{TraceFormat::kExeclog, "execlog", "QEMU's plugin execlog"},
    FormatRow{TraceFormat::kPerfScript, "perf-script",
              "TLB flushes and page faults of perf script"},
    FormatRow{TraceFormat::kColumns, "columns", "a table of accesses, and any with --columns"}};

template <class Reader>
std::unique_ptr<TraceSource> text_reader(InputFile file, const ImportOptions& import) {
    return std::make_unique<Reader>(LineReader(std::move(file)), import);
}

std::unique_ptr<TraceSource> reader_of(TraceFormat format, InputFile file,
                                       const ImportOptions& import, Truncation truncation) {
    switch (format) {
        case TraceFormat::kNwb:
            return std::make_unique<BinaryTraceReader>(std::move(file), truncation);
        case TraceFormat::kLackey:
            return text_reader<LackeyReader>(std::move(file), import);
        case TraceFormat::kPin:
            return text_reader<PinReader>(std::move(file), import);
        case TraceFormat::kDynamorio:
            return text_reader<DynamorioReader>(std::move(file), import);
        case TraceFormat::kDrmemtrace:
            return std::make_unique<DrmemtraceReader>(std::move(file), import);
        case TraceFormat::kChampsim:
            return std::make_unique<ChampsimReader>(std::move(file), import, kChampsim);
        case TraceFormat::kCloudsuite:
            return std::make_unique<ChampsimReader>(std::move(file), import, kCloudsuite);
        case TraceFormat::kDin:
            return text_reader<DinReader>(std::move(file), import);
        case TraceFormat::kGem5:
            return text_reader<Gem5Reader>(std::move(file), import);
        case TraceFormat::kExeclog:
            return text_reader<ExeclogReader>(std::move(file), import);
        case TraceFormat::kPerfScript:
            return text_reader<PerfReader>(std::move(file), import);
        case TraceFormat::kColumns:
            return text_reader<ColumnsReader>(std::move(file), import);
        case TraceFormat::kAuto:
        case TraceFormat::kNwt:
            break;
    }
    return std::make_unique<TextTraceReader>(LineReader(std::move(file)));
}

}  // namespace

const char* name_of(TraceFormat format) {
    const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                    [&](const FormatRow& row) { return row.format == format; });
    return found->name;
}

std::optional<TraceFormat> trace_format_named(std::string_view name) {
    for (const FormatRow& row : kFormats)
        if (row.name == name) return row.format;
    return std::nullopt;
}

std::string known_formats() {
    std::vector<std::string> words;
    for (const FormatRow& row : kFormats)
        if (row.format != TraceFormat::kAuto)
            words.push_back(std::string(row.what) + " (" + row.name + ")");
    return listed({words.begin(), words.end()});
}

OpenedTrace open_trace(const std::string& path, TraceFormat format, const ImportOptions& import,
                       Truncation truncation) {
    return open_trace(InputFile(path), format, import, truncation);
}

OpenedTrace open_trace(InputFile file, TraceFormat format, const ImportOptions& import,
                       Truncation truncation) {
    const std::string compression = file.compression();
    if (format == TraceFormat::kAuto && file.peek().starts_with(nwb::kMagic))
        format = TraceFormat::kNwb;
    if (format == TraceFormat::kAuto) format = detect_format(file, import);
    std::shared_ptr<const InputProgress> progress = file.progress();
    return {format, compression, reader_of(format, std::move(file), import, truncation),
            std::move(progress)};
}

}  // namespace nestwalk
