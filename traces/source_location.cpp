#include "traces/source_location.h"

namespace nestwalk {

std::string SourceLocation::to_string() const {
    std::string text = file;
    if (line != 0) text += ":" + std::to_string(line);
    if (line != 0 && column != 0) text += ":" + std::to_string(column);
    return text;
}

InputError::InputError(const SourceLocation& where, const std::string& message)
    : std::runtime_error(where.to_string() + ": " + message) {}

}  // namespace nestwalk
