#include "traces/source_location.h"

namespace nestwalk {

std::string SourceLocation::to_string() const {
    std::string text = file;
    if (line == 0) return text;
    text.append(1, ':').append(std::to_string(line));
    if (column != 0) text.append(1, ':').append(std::to_string(column));
    return text;
}

InputError::InputError(const SourceLocation& where, const std::string& message)
    : std::runtime_error(where.to_string() + ": " + message) {}

}  // namespace nestwalk
