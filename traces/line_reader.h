#pragma once

// Hands out the lines of a file or of a text in memory as views into one buffer. Memory is bounded
// whatever the input: a line longer than 1 MiB is an error as soon as its first MiB has been read.

#include "traces/input_file.h"
#include "traces/source_location.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestwalk {

class LineReader {
public:
    static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

    explicit LineReader(InputFile file);
    /// `start` says where the text was written: its file, the number of its first line (0 means 1)
    /// and the column at which each of its lines begins there (0 means 1), as in an indented YAML
    /// block.
    LineReader(std::string text, const SourceLocation& start);

    /// The next line without its ending (LF or CRLF; none is needed at the end of the input), valid
    /// until the next call. Throws InputError for a line that is too long or not UTF-8 text.
    bool next(std::string_view& line);

    /// The number of the line last returned, as it counts in the file.
    std::uint64_t line_number() const { return line_number_; }
    /// Where byte `column` (from 1) of the line last returned was written.
    SourceLocation at(std::uint64_t column) const {
        return {start_.file, line_number_, column_of(column)};
    }
    /// The column of that byte in the file the text was written in.
    std::uint64_t column_of(std::uint64_t column) const {
        return start_.column == 0 ? column : start_.column - 1 + column;
    }
    const std::string& name() const { return start_.file; }

    /// What has not been handed out yet, at most about 64 KiB of it; empty only at the end.
    std::string_view peek();

private:
    bool fill();
    void check_text(std::string_view line) const;
    [[noreturn]] void too_long(std::string_view line);

    std::optional<InputFile> file_{};  ///< absent once it has been read to its end
    SourceLocation start_{};
    std::string buffer_{};
    std::size_t begin_{};
    std::size_t end_{};
    std::uint64_t line_number_{};
    bool plain_{true};  ///< the buffer holds nothing but printable ASCII, tabs and line feeds
};

}  // namespace nestwalk
