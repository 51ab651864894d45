#pragma once

// What the tests of traces/ share: reading a program to its end, the error it gives, and files that
// go away.

#include "traces/record.h"

#include <string>
#include <string_view>

namespace nestwalk::test {

/// Everything that `source` holds, as the text form writes it.
std::string text_of(TraceSource& source);
/// The same of a program named "trace" whose first line is line 1.
std::string text_of_program(const std::string& program);
/// The program in the binary form.
std::string binary_of_program(const std::string& program);
/// Everything that a binary trace named "trace" holds, as the text form writes it.
std::string text_of_binary(const std::string& bytes);
/// The one operation of a program.
Operation operation_of(const std::string& line);

/// What InputError says; "no error" if reading to the end gives none.
std::string error_of(TraceSource& source);
std::string error_of_program(const std::string& program);
std::string error_of_file(const std::string& path);

/// A file in the temporary folder, removed at the end.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view content);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    const std::string& path() const { return path_; }

private:
    std::string path_{};
};

}  // namespace nestwalk::test
