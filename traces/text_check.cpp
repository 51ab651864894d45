#include "traces/text_check.h"
#include "traces/wording.h"

#include <cstddef>

namespace nestwalk {
namespace {

// Length of the UTF-8 character at the start of `text`; 0 if there is none or it is a control
// character.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return (byte(0) >= 0x20 && byte(0) != 0x7f) || byte(0) == '\t' ? 1 : 0;
    if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
    const std::size_t length = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    if (text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return length;
}

}  // namespace

bool is_plain(std::string_view text) {
    unsigned odd = 0;
    for (const char c : text) {  // no early exit, so that it becomes vector code
        const auto byte = static_cast<unsigned char>(c);
        const unsigned low = byte < 0x20 ? 1 : 0;
        const unsigned high = byte > 0x7e ? 1 : 0;
        const unsigned blank = byte == '\n' || byte == '\t' ? 1 : 0;
        odd |= (low & ~blank) | high;
    }
    return odd == 0;
}

void check_text(std::string_view line, const LinePlace& place) {
    if (is_plain(line) && line.find('\n') == std::string_view::npos) return;
    for (std::size_t i = 0; i < line.size();) {
        const std::size_t length = character_length(line.substr(i));
        if (length == 0)
            throw InputError(place.at(i + 1), fault("not text", line.substr(i, 1), "UTF-8 text"));
        i += length;
    }
}

}  // namespace nestwalk
