#pragma once

// What may stand on a line: UTF-8 text without control characters but the tab.

#include "traces/source_location.h"

#include <string_view>

namespace nestwalk {

/// True if `text` is nothing but printable ASCII, tabs and line feeds.
bool is_plain(std::string_view text);

/// Throws InputError at the first byte of the line that is no text.
void check_text(std::string_view line, const LinePlace& place);

}  // namespace nestwalk
