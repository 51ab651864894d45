#include "apps/text_wrap.h"

#include <algorithm>

namespace nestwalk {

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string result;
    std::size_t begin_of_line = 0;
    while (true) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const std::size_t used = result.size() - begin_of_line;
        if (used > indent && used + 1 + word.size() > kTextColumns) {
            result += "\n";
            begin_of_line = result.size();
            result.append(indent, ' ');
        } else if (!result.empty()) {
            result += " ";
        }
        result += word;
        if (end == text.size()) return result + "\n";
        text.remove_prefix(end + 1);
    }
}

}  // namespace nestwalk
