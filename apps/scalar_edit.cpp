#include "apps/scalar_edit.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstddef>

namespace nestwalk {

namespace {

// The byte at which a line begins.
std::size_t start_of_line(const std::string& text, std::uint64_t line) {
    std::size_t start = 0;
    for (std::uint64_t at = 1; at < line && start != std::string::npos; ++at) {
        start = text.find('\n', start);
        if (start != std::string::npos) ++start;
    }
    return start;
}

// Where the scalar's own text stands, behind a quote if it has one. Columns of a line with other
// than ASCII characters are not those of bytes, so the text is looked for from the column on.
std::size_t position_of(const std::string& text, const ConfigNode& scalar) {
    const std::size_t line = start_of_line(text, scalar.location.line);
    if (line != std::string::npos) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        const std::size_t at = text.find(scalar.text, line + scalar.location.column - 1);
        if (at != std::string::npos && at + scalar.text.size() <= end) return at;
    }
    throw InputError(scalar.location, "expected " + nestwalk::quoted(scalar.text) +
                                          " here; has the file changed since it was read?");
}

}  // namespace

std::string edited(const std::string& file_text, std::vector<ScalarEdit> edits) {
    std::sort(edits.begin(), edits.end(), [](const ScalarEdit& one, const ScalarEdit& other) {
        const SourceLocation& left = one.scalar.location;
        const SourceLocation& right = other.scalar.location;
        return left.line != right.line ? left.line > right.line : left.column > right.column;
    });
    std::string text = file_text;
    for (const ScalarEdit& edit : edits)
        text.replace(position_of(text, edit.scalar), edit.scalar.text.size(), edit.text);
    return text;
}

}  // namespace nestwalk
