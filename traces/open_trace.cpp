#include "traces/open_trace.h"
#include "traces/format_detection.h"
#include "traces/input_file.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
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
    FormatRow{TraceFormat::kPin, "pin", "the output of Pin's pinatrace"}};

std::unique_ptr<TraceSource> reader_of(TraceFormat format, LineReader lines,
                                       const ImportOptions& import) {
    switch (format) {
        case TraceFormat::kLackey:
            return std::make_unique<LackeyReader>(std::move(lines), import);
        case TraceFormat::kPin:
            return std::make_unique<PinReader>(std::move(lines), import);
        default:
            return std::make_unique<TextTraceReader>(std::move(lines));
    }
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
    InputFile file(path);
    const std::string compression = file.compression();
    if (format == TraceFormat::kAuto && file.peek().starts_with(nwb::kMagic))
        format = TraceFormat::kNwb;
    if (format == TraceFormat::kNwb)
        return {format, compression,
                std::make_unique<BinaryTraceReader>(std::move(file), truncation)};
    LineReader lines{std::move(file)};
    if (format == TraceFormat::kAuto) format = detect_format(lines);
    return {format, compression, reader_of(format, std::move(lines), import)};
}

}  // namespace nestwalk
