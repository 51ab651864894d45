#pragma once

// What a sweep is, as it stands in its results: two results are of one sweep if these are equal.

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace nestwalk {

/// A key of a sweep and its values, as they are typed after `KEY=`.
struct SweepKey {
    std::string key{};
    std::vector<std::string> values{};

    bool operator==(const SweepKey&) const = default;
};

/// A file that the experiment reads.
struct SweepInput {
    std::string kind{};  ///< machine or trace
    std::string name{};  ///< as the experiment has it
    std::string sha256{};

    auto operator<=>(const SweepInput&) const = default;
};

struct SweepDescription {
    std::string version{};                ///< of the program
    std::string engine{};                 ///< replay or cycle
    std::string experiment{};             ///< its YAML, without the sweep
    std::vector<std::string> settings{};  ///< of the machine, from the command line: KEY=VALUE
    std::vector<SweepKey> keys{};
    std::vector<SweepInput> inputs{};

    bool operator==(const SweepDescription&) const = default;

    std::size_t points() const;
    /// The values of a point, which counts from 1, in the order of `keys`. The last key changes
    /// fastest.
    std::vector<std::string> values(std::size_t point) const;
    /// "point 3 (machine=zen3, stlb.entries=512)".
    std::string name(std::size_t point) const;
};

/// A value as names and tables have it: cut where it is long, line ends as \n.
std::string one_line(const std::string& value);

/// What is the first difference: "it is of another experiment". Empty if there is none.
std::string difference(const SweepDescription& it, const SweepDescription& other);

/// For each key, which of its `sizes` values a point has.
std::vector<std::size_t> choices_of_point(std::size_t point, const std::vector<std::size_t>& sizes);

}  // namespace nestwalk
