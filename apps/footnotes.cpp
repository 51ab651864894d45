#include "apps/footnotes.h"
#include "apps/text_wrap.h"

#include <algorithm>
#include <cstddef>

namespace nestwalk {

namespace {

constexpr std::size_t kLongestInTable = 40;

std::string number(std::size_t at) { return "(" + std::to_string(at + 1) + ")"; }

}  // namespace

std::string Footnotes::mark(const std::string& text) {
    if (text.size() <= kLongestInTable) return text;
    const auto found = std::find(texts_.begin(), texts_.end(), text);
    const auto at = static_cast<std::size_t>(found - texts_.begin());
    if (found == texts_.end()) texts_.push_back(text);
    return number(at);
}

std::string Footnotes::to_string() const {
    std::string text;
    for (std::size_t at = 0; at < texts_.size(); ++at)
        text += wrapped(number(at) + " " + texts_[at], number(at).size() + 1);
    return text;
}

}  // namespace nestwalk
