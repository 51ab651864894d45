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

/// The line of a text that is being read, and where it stands in what the user wrote.
struct LinePlace {
    std::string file{};
    std::uint64_t line{};
    std::uint64_t first_column{};  ///< where in the file the text's lines begin; 0 means 1

    /// Where byte `column` (from 1) of the line was written.
    SourceLocation at(std::uint64_t column) const { return {file, line, column_of(column)}; }
    /// The column of that byte in the file.
    std::uint64_t column_of(std::uint64_t column) const {
        return first_column == 0 ? column : first_column - 1 + column;
    }
};

/// Bad input: what() is "FILE:LINE:COLUMN: message", ready to be printed. Caught once, in main.
class InputError : public std::runtime_error {
public:
    InputError(const SourceLocation& where, const std::string& message);
};

}  // namespace nestwalk
