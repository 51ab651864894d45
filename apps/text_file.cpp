#include "apps/text_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace nestwalk {

namespace {

std::string with_line_feeds(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r')
            out += text[i];
        else if (i + 1 == text.size() || text[i + 1] != '\n')
            out += '\n';
    }
    return out;
}

// Length of the UTF-8 sequence at the start of `text`; 0 if there is none. Overlong forms,
// surrogates and values above U+10FFFF are none (Unicode, table "Well-Formed UTF-8 Byte
// Sequences").
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    std::uint32_t code = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return 0;
        code = (code << 6) | (byte(i) & 0x3fu);
    }
    if (length == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) return 0;
    if (length == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
    return length;
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string checked_text(std::string text, const std::string& file) {
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    text = with_line_feeds(text);
    SourceLocation here{file, 1, 1};
    const std::string_view view = text;
    for (std::size_t at = 0; at < view.size();) {
        const std::size_t length = utf8_length(view.substr(at));
        if (length == 0) throw InputError(here, "not a text file: expected UTF-8");
        if (is_control(view[at]))
            throw InputError(here, "not a text file: it holds a control character");
        here.column += length;
        if (view[at] == '\n') here = {file, here.line + 1, 1};
        at += length;
    }
    return text;
}

std::string beginning_of_file(const std::string& path, std::size_t most) {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in.is_open())
        throw InputError({path}, std::string("cannot be opened: ") + std::strerror(errno));
    std::string content(most, '\0');
    in.read(content.data(), static_cast<std::streamsize>(most));
    if (in.bad()) throw InputError({path}, "cannot be read");
    content.resize(static_cast<std::size_t>(in.gcount()));
    return content;
}

std::string read_text_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw InputError({path}, "is a directory, expected a file");
    // One byte more than allowed, so that an endless file such as a device ends here too.
    std::string text = beginning_of_file(path, kLargestTextFile + 1);
    if (text.size() > kLargestTextFile)
        throw InputError({path}, "is larger than 4 MiB, the most a configuration file may have");
    return checked_text(std::move(text), path);
}

}  // namespace nestwalk
