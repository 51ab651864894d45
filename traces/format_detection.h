#pragma once

// Which form a trace is in, by its first bytes: never by its name.

#include "traces/input_file.h"
#include "traces/open_trace.h"

namespace nestwalk {

/// Never kAuto. An empty file, or one with nothing but comments, is a text trace without records.
/// Nothing of the file is taken. Throws InputError for a file in none of the known forms, which
/// says what it looks like where that is known, and for one that fits two of them. Text is a table
/// of accesses if `import` has columns.
TraceFormat detect_format(InputFile& file, const ImportOptions& import);

}  // namespace nestwalk
