#include "traces/line_reader.h"
#include "traces/text_check.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(InputFile file) : file_(std::move(file)), place_{file_->name(), 0, 0} {}

LineReader::LineReader(std::string text, const SourceLocation& start)
    : place_{start.file, start.line == 0 ? 0 : start.line - 1, start.column},
      buffer_(std::move(text)),
      end_(buffer_.size()),
      plain_(is_plain(buffer_)) {}

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
    ++place_.line;
    if (!plain_) check_text(line, place_);
    return true;
}

std::string_view LineReader::peek() {
    while (end_ - begin_ < kBlock && fill()) {
    }
    return std::string_view(buffer_).substr(begin_, std::min(end_ - begin_, kBlock));
}

std::string_view LineReader::whole_lines() {
    const auto at_hand = [this] {
        const std::string_view left = std::string_view(buffer_).substr(begin_, end_ - begin_);
        return left.substr(0, left.rfind('\n') + 1);  // none: npos + 1 is 0
    };
    std::string_view lines = at_hand();
    if (lines.empty() && fill()) lines = at_hand();
    return plain_ ? lines : std::string_view();
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

void LineReader::too_long(std::string_view line) {
    ++place_.line;
    line = line.substr(0, kLongestLine);
    while (!line.empty() && static_cast<unsigned char>(line.back()) >= 0x80) line.remove_suffix(1);
    check_text(line, place_);
    throw InputError(at(kLongestLine + 1),
                     fault("line too long", line, "at most 1048576 bytes (1 MiB) in a line"));
}

}  // namespace nestwalk
