#include "traces/line_scanner.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <charconv>
#include <system_error>

namespace nestwalk {
namespace {

// More than any instruction touches (XSAVE with AMX: some 11 KiB, which no tracer says in one).
constexpr std::uint64_t kMostBytes = 4096;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string_view LineScanner::letters() const {
    std::size_t end = at_;
    while (end < line_.size() && is_letter(line_[end])) ++end;
    return line_.substr(at_, end - at_);
}

std::uint64_t LineScanner::number(NumberBase base, std::string_view expected) {
    const char* from = line_.data() + at_;
    const char* const end = line_.data() + line_.size();
    int radix = base == NumberBase::kHexadecimal ? 16 : 10;
    if (end - from > 2 && from[0] == '0' && (from[1] == 'x' || from[1] == 'X')) {
        from += 2;
        radix = 16;
    }
    std::uint64_t value = 0;
    const auto [to, error] = std::from_chars(from, end, value, radix);
    if (error == std::errc::result_out_of_range)
        reject("number too large", "one that 64 bits can hold");
    if (error != std::errc{}) {
        const bool negative = end - from > 1 && from[0] == '-' && from[1] >= '0' && from[1] <= '9';
        reject(negative ? "negative number" : "not a number", expected);
    }
    at_ = static_cast<std::size_t>(to - line_.data());
    return value;
}

std::uint64_t LineScanner::size(NumberBase base, std::string_view expected) {
    const std::size_t start = at_;
    const std::uint64_t bytes = number(base, expected);
    if (bytes > kMostBytes) reject_at(start, "size out of range", "at most 4096 bytes");
    return bytes;
}

void LineScanner::reject_at(std::size_t position, std::string_view what,
                            std::string_view expected) const {
    const std::string_view from = line_.substr(position);
    throw InputError(lines_.at(position + 1),
                     fault(what, from.substr(0, from.find_first_of(" \t")), expected));
}

}  // namespace nestwalk
