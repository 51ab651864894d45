// Lines out of files and texts: endings, limits, and what is not text.
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"
#include "traces/input_file.h"
#include "traces/line_reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::TemporaryFile;

std::vector<std::string> lines_of(LineReader reader) {
    std::vector<std::string> lines;
    std::string_view line;
    while (reader.next(line)) lines.emplace_back(line);
    return lines;
}

// The lines of a text in memory and of the same text in a file.
void check_lines(const std::string& text, const std::vector<std::string>& expected) {
    const TemporaryFile file(text);
    CHECK(lines_of(LineReader(text, {"text"})) == expected);
    CHECK(lines_of(LineReader(InputFile(file.path()))) == expected);
}

std::string error_of(LineReader reader) {
    return nestwalk::error_of([&] { lines_of(std::move(reader)); });
}

std::string error_of_text(const std::string& text) { return error_of(LineReader(text, {"text"})); }

TEST_SUITE("lines") {
    TEST_CASE("LF, CRLF and no ending at the end of the input give the same lines") {
        check_lines("", {});
        check_lines("a", {"a"});
        check_lines("a\n\nb\n", {"a", "", "b"});
        check_lines("a\r\n\r\nb\r", {"a", "", "b"});
    }

    TEST_CASE("a byte order mark before a file is no text of it") {
        const TemporaryFile file("\xef\xbb\xbfmfence\n");
        CHECK(lines_of(LineReader(InputFile(file.path()))) == std::vector<std::string>{"mfence"});
    }

    TEST_CASE("lines of every length around a block's come out whole") {
        std::string text;
        std::vector<std::string> expected;
        for (std::size_t length : {1u, 65'535u, 65'536u, 65'537u, 300'000u, 7u, 1'048'576u, 1u}) {
            expected.emplace_back(length, static_cast<char>('a' + expected.size()));
            text += expected.back() + "\n";
        }
        check_lines(text, expected);
    }

    TEST_CASE("a line of 1 MiB is read, one byte more is an error that names the limit") {
        const std::string longest(LineReader::kLongestLine, 'x');
        check_lines("a\n" + longest + "\r\nb", {"a", longest, "b"});
        const std::string error = "text:2:1048577: line too long: '" + std::string(60, 'x') +
                                  "...'; expected at most 1048576 bytes (1 MiB) in a line";
        CHECK(error_of_text("a\n" + longest + "x\nb") == error);
        CHECK(error_of_text("a\n" + longest + "x") == error);
    }

    TEST_CASE("a line of many MiB ends with an error, in a file as well") {
        const TemporaryFile file("ok\n" + std::string(std::size_t{8} << 20, 'y'));
        CHECK(error_of(LineReader(InputFile(file.path())))
                  .starts_with(file.path() + ":2:1048577: line too long: 'yyyy"));
    }

    TEST_CASE("bytes that are no text are reported at their place") {
        CHECK(error_of_text(std::string("ab\nc\0d\n", 7)) ==
              "text:2:2: not text: '\\x00'; expected UTF-8 text");
        CHECK(error_of_text("\x1b[0m") == "text:1:1: not text: '\\x1b'; expected UTF-8 text");
        CHECK(error_of_text("a\rb\n") == "text:1:2: not text: '\\x0d'; expected UTF-8 text");
        CHECK(error_of_text("abc\x7f") == "text:1:4: not text: '\\x7f'; expected UTF-8 text");
        CHECK(error_of_text("\xff\xfe") == "text:1:1: not text: '\\xff'; expected UTF-8 text");
        CHECK(error_of_text("a\xc3") == "text:1:2: not text: '\\xc3'; expected UTF-8 text");
        CHECK(error_of_text("a\xc3(") == "text:1:2: not text: '\\xc3'; expected UTF-8 text");
        CHECK(error_of_text(std::string(3'000'000, '\0')) ==
              "text:1:1: not text: '\\x00'; expected UTF-8 text");
    }

    TEST_CASE("UTF-8 is text") {
        check_lines("# gr\xc3\xbc\xc3\x9f \xe2\x86\x92 \xf0\x9f\x90\xa7\nb",
                    {"# gr\xc3\xbc\xc3\x9f \xe2\x86\x92 \xf0\x9f\x90\xa7", "b"});
    }

    TEST_CASE("places count from where the text was written") {
        LineReader reader("a\nb\n", {"walk.yaml", 7, 5});
        std::string_view line;
        reader.next(line);
        CHECK(reader.at(1).to_string() == "walk.yaml:7:5");
        reader.next(line);
        CHECK(reader.at(3).to_string() == "walk.yaml:8:7");
        CHECK(reader.line_number() == 8);
    }

    TEST_CASE("a peek takes nothing away") {
        const TemporaryFile file("a\nb\n");
        LineReader reader(InputFile(file.path()));
        CHECK(reader.peek() == "a\nb\n");
        CHECK(lines_of(std::move(reader)) == std::vector<std::string>{"a", "b"});
    }
}

}  // namespace
}  // namespace nestwalk
