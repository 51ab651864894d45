#pragma once

// Writes what a trace is made of as the text form reads it, for traces that are converted and test
// cases that are printed. Keys at their defaults are left out, so reading what was written gives
// the same record.

#include "models/operation.h"
#include "traces/record.h"

#include <string>
#include <string_view>

namespace nestwalk {

/// The first line of a trace, with its line feed.
inline constexpr std::string_view kTextHeader = "nestwalk-trace 1\n";

/// One line, without a line feed.
std::string to_text(const Operation& operation);
std::string to_text(const Record& record);
/// A record as a line, a block as its lines; each line ends with a line feed.
std::string to_text(const TraceItem& item);

}  // namespace nestwalk
