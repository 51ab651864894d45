#pragma once

// Opens a trace of any known form. Which form it is follows from its first bytes, never from its
// name.

#include "traces/binary_trace_reader.h"
#include "traces/import_options.h"
#include "traces/input_file.h"
#include "traces/record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nestwalk {

enum class TraceFormat : std::uint8_t {
    kAuto,
    kNwt,
    kNwb,
    kLackey,
    kPin,
    kDynamorio,
    kDrmemtrace,
    kChampsim,
    kCloudsuite,
    kDin,
    kGem5,
    kExeclog,
    kPerfScript,
    kColumns
};

/// "auto", "nwt", "nwb", "lackey": the words of options and experiments.
const char* name_of(TraceFormat format);
std::optional<TraceFormat> trace_format_named(std::string_view name);
/// "a nestwalk text trace (nwt), ... or ...": all of them but kAuto, for messages.
std::string known_formats();

struct OpenedTrace {
    TraceFormat format{};       ///< never kAuto
    std::string compression{};  ///< "none", "gzip", "zstd" or "xz"
    std::unique_ptr<TraceSource> source{};
    std::shared_ptr<const InputProgress> progress{};
};

/// `path` "-" is standard input. With kAuto, an empty file is a text trace without records.
/// `import` is about foreign forms, `truncation` about the binary one. Throws InputError for a file
/// that cannot be read, and with kAuto for one that has none of the known forms.
OpenedTrace open_trace(const std::string& path, TraceFormat format,
                       const ImportOptions& import = {},
                       Truncation truncation = Truncation::kRefused);
OpenedTrace open_trace(InputFile file, TraceFormat format, const ImportOptions& import,
                       Truncation truncation);

}  // namespace nestwalk
