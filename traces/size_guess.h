#pragma once

// Whether a column of small numbers can be the sizes of accesses: the numbers of threads look the
// same on one line, but not on many.

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwalk {

class SizeGuess {
public:
    /// A number of the column, in decimal or hexadecimal, and its line.
    void see(std::string_view number, std::uint64_t line);

    /// One in eight of the numbers is none of the sizes that instructions access.
    bool is_doubtful() const { return odd_ != 0 && 8 * odd_ >= all_; }

    /// The first of these, and its line.
    const std::string& number() const { return number_; }
    std::uint64_t line() const { return line_; }

private:
    std::uint64_t all_{};
    std::uint64_t odd_{};
    std::string number_{};
    std::uint64_t line_{};
};

}  // namespace nestwalk
