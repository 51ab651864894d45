#include "traces/open_trace.h"
#include "traces/input_file.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/source_location.h"
#include "traces/text_records.h"
#include "traces/text_trace_reader.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nestwalk {
namespace {

struct FormatName {
    TraceFormat format;
    const char* name;
};
constexpr std::array kFormatNames{FormatName{TraceFormat::kAuto, "auto"},
                                  FormatName{TraceFormat::kNwt, "nwt"},
                                  FormatName{TraceFormat::kLackey, "lackey"}};

constexpr std::string_view kKnownFormats =
    "a nestwalk text trace (nwt) or the output of Valgrind's lackey (lackey)";

bool is_text_record(std::string_view line) {
    if (line.starts_with('}')) return true;
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r#"));
    const auto& words = record_words();
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Decides by the first line that is neither blank nor a comment nor one of Valgrind's banners.
TraceFormat detect(LineReader& lines) {
    std::string_view rest = lines.peek();
    TraceFormat otherwise = TraceFormat::kNwt;
    for (std::uint64_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
        if (LackeyReader::is_banner(line)) {
            if (start != line.size()) otherwise = TraceFormat::kLackey;
            continue;
        }
        if (line[start] == '#') continue;
        if (LackeyReader::looks_like_reference(line)) return TraceFormat::kLackey;
        line.remove_prefix(start);
        if (is_text_record(line)) return TraceFormat::kNwt;
        throw InputError({lines.name(), number, start + 1},
                         fault("unknown trace format", line, kKnownFormats));
    }
    return otherwise;
}

}  // namespace

const char* name_of(TraceFormat format) {
    const auto found = std::find_if(kFormatNames.begin(), kFormatNames.end(),
                                    [&](const FormatName& row) { return row.format == format; });
    return found->name;
}

std::optional<TraceFormat> trace_format_named(std::string_view name) {
    for (const FormatName& row : kFormatNames)
        if (row.name == name) return row.format;
    return std::nullopt;
}

OpenedTrace open_trace(const std::string& path, TraceFormat format) {
    LineReader lines{InputFile(path)};
    if (format == TraceFormat::kAuto) format = detect(lines);
    if (format == TraceFormat::kLackey)
        return {format, std::make_unique<LackeyReader>(std::move(lines))};
    return {format, std::make_unique<TextTraceReader>(std::move(lines))};
}

}  // namespace nestwalk
