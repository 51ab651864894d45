#pragma once

// The first lines of a file, before any of them is read: what formats and dialects are known by.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

/// A sample of this many bytes may end inside a line.
inline constexpr std::size_t kSampleBytes = 64 * 1024;
/// So many lines show what a file is.
inline constexpr std::uint64_t kSampleLines = 400;

/// Calls `see(line, number)` for each of the first lines, without line ends; a line that the sample
/// may have cut is left out.
template <typename See>
void for_each_line(std::string_view sample, See see) {
    const bool cut = sample.size() + 256 >= kSampleBytes;
    for (std::uint64_t number = 1; !sample.empty() && number <= kSampleLines; ++number) {
        const std::size_t end = sample.find('\n');
        if (end == std::string_view::npos && cut && number > 1) return;
        std::string_view line = sample.substr(0, end);
        sample.remove_prefix(end == std::string_view::npos ? sample.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        see(line, number);
    }
}

/// What is left of the line, or its end: a place in it in any case.
inline std::string_view without_blanks(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

}  // namespace nestwalk
