#pragma once

// Where a record or a setting was written, and the one exception for what users write wrongly.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace nestwalk {

/// Line and column count from 1; 0 means "no such position".
struct SourceLocation {
    std::string file{};
    std::uint64_t line{};
    std::uint64_t column{};

    /// "FILE:LINE:COLUMN", leaving out the positions that are 0.
    std::string to_string() const;
};

/// Bad input: what() is "FILE:LINE:COLUMN: message", ready to be printed. Caught once, in main.
class InputError : public std::runtime_error {
public:
    InputError(const SourceLocation& where, const std::string& message);
};

}  // namespace nestwalk
