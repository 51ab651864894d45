#pragma once

// Which form a trace is in, by its first lines: never by its name.

#include "traces/line_reader.h"
#include "traces/open_trace.h"

namespace nestwalk {

/// Never kAuto. An empty file, or one with nothing but comments, is a text trace without records.
/// Throws InputError for a file in none of the known forms, which says what it looks like where
/// that is known, and for one that fits two of them.
TraceFormat detect_format(LineReader& lines);

}  // namespace nestwalk
