#pragma once

// Results of parts of a sweep, joined.

#include <cstddef>
#include <string>
#include <vector>

namespace nestwalk {

struct MergedSweep {
    std::size_t points{};                ///< that the sweep has
    std::vector<std::size_t> missing{};  ///< in no part
};

/// Writes a new results file with the points of all `parts`. Throws InputError if `output` exists,
/// or if parts are not of one sweep, program version and engine, or disagree about a point.
MergedSweep merge_sweeps(const std::string& output, const std::vector<std::string>& parts);

/// "1, 4-7 and 203 more", of numbers that rise.
std::string ranges_words(const std::vector<std::size_t>& numbers);

}  // namespace nestwalk
