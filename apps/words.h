#pragma once

// Words for error messages: what the user wrote, what was known, and which known word was meant.

#include <span>
#include <string>
#include <string_view>

namespace nestwalk {

/// `word` in double quotes, control characters escaped and long text cut, so that a message stays
/// one line.
std::string quote(std::string_view word);

/// "a, b, c".
std::string list_of(std::span<const std::string_view> words);
/// "a, b or c".
std::string one_of(std::span<const std::string_view> words);

/// `; did you mean "stlb"?` for the known word that differs from `word` by the fewest letters;
/// empty when none is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace nestwalk
