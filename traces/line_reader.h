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

    /// The line last returned; its number counts in the file.
    const LinePlace& place() const { return place_; }
    SourceLocation at(std::uint64_t column) const { return place_.at(column); }
    std::uint64_t line_number() const { return place_.line; }
    const std::string& name() const { return place_.file; }

    /// The lines at hand, each with its line feed: what a reader that is in a hurry parses itself.
    /// All of it is printable ASCII and tabs. Empty where `next` has to be asked: at the end, and
    /// for what is not such text.
    std::string_view whole_lines();
    /// So much of them has been parsed.
    void pass(std::size_t bytes, std::uint64_t lines) {
        begin_ += bytes;
        place_.line += lines;
    }

    /// What has not been handed out yet, at most about 64 KiB of it; empty only at the end.
    std::string_view peek();

private:
    bool fill();
    [[noreturn]] void too_long(std::string_view line);

    std::optional<InputFile> file_{};  ///< absent once it has been read to its end
    LinePlace place_{};
    std::string buffer_{};
    std::size_t begin_{};
    std::size_t end_{};
    bool plain_{true};  ///< the buffer holds nothing but printable ASCII, tabs and line feeds
};

}  // namespace nestwalk
