#pragma once

#include <string>

namespace nestwalk {

/// A field of a CSV file (RFC 4180): in quotes where it must be.
std::string csv_quoted(const std::string& text);

}  // namespace nestwalk
