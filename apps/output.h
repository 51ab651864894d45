#pragma once

// Where results go: standard output, or files of a directory that the user named. A file appears
// under its name only when it is complete.

#include <string>

namespace nestwalk {

/// Throws InputError if standard output cannot take it.
void write_stdout(const std::string& text);

/// Writes DIR/NAME, making the directory. Throws InputError.
void write_result(const std::string& directory, const std::string& name, const std::string& text);

}  // namespace nestwalk
