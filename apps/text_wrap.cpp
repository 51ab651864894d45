#include "apps/text_wrap.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// Begins with `result`, which is blank.
std::string wrapped_behind(std::string result, std::string_view text, std::size_t indent) {
    std::size_t begin_of_line = 0;
    bool first = true;
    while (true) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const std::size_t used = result.size() - begin_of_line;
        if (used > indent && used + 1 + word.size() > kTextColumns) {
            result += "\n";
            begin_of_line = result.size();
            result.append(indent, ' ');
        } else if (!first) {
            result += " ";
        }
        first = false;
        result += word;
        if (end == text.size()) return result + "\n";
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
    return wrapped_behind({}, text, indent);
}

std::string wrapped_block(std::string_view text, std::size_t indent) {
    return wrapped_behind(std::string(indent, ' '), text, indent);
}

}  // namespace nestwalk
