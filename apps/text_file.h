#pragma once

// Text from outside, made safe to parse: of bounded size, UTF-8, with line feeds as its only line
// ends.

#include "traces/source_location.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace nestwalk {

inline constexpr std::size_t kLargestTextFile = std::size_t{4} << 20;

/// The first bytes of a file, at most `most` of them. Throws InputError.
std::string beginning_of_file(const std::string& path, std::size_t most);

/// The contents of a file, at most `kLargestTextFile` bytes, checked as by `checked_text`. Throws
/// InputError.
std::string read_text_file(const std::string& path);

/// `text` without byte-order mark and with CR and CRLF turned into LF. Throws InputError at the
/// first byte that is a control character or not UTF-8; positions count from line 1 of `file`.
std::string checked_text(std::string text, const std::string& file);

bool is_utf8(std::string_view text);

}  // namespace nestwalk
