#include "traces/line_reader.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

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

LineReader::LineReader(InputFile file) : file_(std::move(file)) { start_.file = file_->name(); }

LineReader::LineReader(std::string text, const SourceLocation& start)
    : start_(start), buffer_(std::move(text)), end_(buffer_.size()), plain_(is_plain(buffer_)) {
    if (start_.line != 0) line_number_ = start_.line - 1;
}

bool LineReader::next(std::string_view& line) {
    std::size_t searched = 0;
    std::size_t length = 0;
    std::size_t ending = 1;
    for (;;) {
        const char* start = buffer_.data() + begin_;
        const std::size_t left = end_ - begin_;
        const void* newline = std::memchr(start + searched, '\n', left - searched);
        if (newline != nullptr) {
            length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
            break;
        }
        if (left > kLongestLine + 1) too_long({start, left});
        searched = left;
        if (fill()) continue;
        if (left == 0) return false;
        length = left;
        ending = 0;
        break;
    }
    line = std::string_view(buffer_).substr(begin_, length);
    begin_ += length + ending;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > kLongestLine) too_long(line);
    ++line_number_;
    if (!plain_) check_text(line);
    return true;
}

std::string_view LineReader::peek() {
    while (end_ - begin_ < kBlock && fill()) {
    }
    return std::string_view(buffer_).substr(begin_, std::min(end_ - begin_, kBlock));
}

// Makes room after the bytes not yet handed out, and reads a block there.
bool LineReader::fill() {
    if (!file_) return false;
    const bool first = buffer_.empty();
    const std::size_t kept = end_ - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
    begin_ = 0;
    end_ = kept;
    if (buffer_.size() < kept + kBlock) buffer_.resize(std::max(2 * buffer_.size(), kept + kBlock));
    const std::size_t got = file_->read(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) {
        file_.reset();
        return false;
    }
    end_ += got;
    if (first && std::string_view(buffer_).substr(0, end_).starts_with(kByteOrderMark))
        begin_ = kByteOrderMark.size();
    plain_ = is_plain(std::string_view(buffer_).substr(begin_, end_ - begin_));
    return true;
}

void LineReader::check_text(std::string_view line) const {
    if (is_plain(line)) return;
    for (std::size_t i = 0; i < line.size();) {
        const std::size_t length = character_length(line.substr(i));
        if (length == 0)
            throw InputError(at(i + 1), fault("not text", line.substr(i, 1), "UTF-8 text"));
        i += length;
    }
}

void LineReader::too_long(std::string_view line) {
    ++line_number_;
    line = line.substr(0, kLongestLine);
    while (!line.empty() && static_cast<unsigned char>(line.back()) >= 0x80) line.remove_suffix(1);
    check_text(line);
    throw InputError(at(kLongestLine + 1),
                     fault("line too long", line, "at most 1048576 bytes (1 MiB) in a line"));
}

}  // namespace nestwalk
