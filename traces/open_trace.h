#pragma once

// Opens a trace of any known form. Which form it is follows from its first lines, never from its
// name.

#include "traces/record.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nestwalk {

enum class TraceFormat { kAuto, kNwt, kLackey };

/// "auto", "nwt", "lackey": the words of options and experiments.
const char* name_of(TraceFormat format);
std::optional<TraceFormat> trace_format_named(std::string_view name);

struct OpenedTrace {
    TraceFormat format{};  ///< never kAuto
    std::unique_ptr<TraceSource> source{};
};

/// `path` "-" is standard input. With kAuto, an empty file is a text trace without records. Throws
/// InputError for a file that cannot be read, and with kAuto for one that has none of the known
/// forms.
OpenedTrace open_trace(const std::string& path, TraceFormat format);

}  // namespace nestwalk
