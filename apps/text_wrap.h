#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestwalk {

/// What fits a terminal and a page.
inline constexpr std::size_t kTextColumns = 100;

/// `text` broken at blanks into lines of at most `kTextColumns` characters, each ending in a
/// newline; all but the first are indented. A longer word has a line of its own.
std::string wrapped(std::string_view text, std::size_t indent = 0);
/// The same with the first line indented too.
std::string wrapped_block(std::string_view text, std::size_t indent);

}  // namespace nestwalk
