#pragma once

// How messages about bad input are worded: "what is wrong: 'the offending text'; expected this".

#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// `text` in single quotes, cut after 60 bytes; bytes that do not print appear as \xNN.
std::string quoted(std::string_view text);

/// "what: 'text'; expected this".
std::string fault(std::string_view what, std::string_view text, std::string_view expected);

/// "a, b or c".
std::string listed(const std::vector<std::string_view>& words);

/// ", did you mean 'load'?" if one of `known` is a slip of the finger away, in a word of six
/// letters or more two slips; else empty.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace nestwalk
