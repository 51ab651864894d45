#include "traces/din_reader.h"
#include "traces/number.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm =
    "a label 0 to 4, or r, w, i, m, c or v, then a hexadecimal address, as in '0 7fff0010'";
constexpr std::string_view kSizeForm = "a size in hexadecimal, as in 'r 7fff0010 8'";
constexpr std::string_view kLabels = "01234";
constexpr std::string_view kTypes = "rwimcvRWIMCV";
constexpr std::uint64_t kLargestOperand = 64;

std::string_view take_word(std::string_view& text) {
    text = without_blanks(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

// The value of a hexadecimal number with or without 0x.
ParsedNumber hexadecimal(std::string_view word) {
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
    if (word.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
        return {0, NumberFault::kNotANumber};
    return parse_number("0x" + std::string(word));
}

bool is_number(std::string_view word) { return hexadecimal(word).fault == NumberFault::kNone; }

bool is_label(std::string_view word, std::string_view labels) {
    return word.size() == 1 && labels.find(word[0]) != std::string_view::npos;
}

}  // namespace

bool DinReader::recognises(std::string_view line) {
    const std::string_view label = take_word(line);
    const std::string_view address = take_word(line);
    if (is_label(label, kLabels)) return is_number(address);
    return is_label(label, kTypes) && is_number(address) && is_number(take_word(line));
}

bool DinReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#';
}

DinReader::DinReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "din") {
    comments_ = sink().skips("comment lines", "no accesses");
    blanks_ = sink().skips("blank lines", "nothing on them");
    escapes_ = sink().skips("escape records", "labels 3 and 4 access nothing");
    cache_operations_ = sink().skips("cache operations", "c and v access nothing");
    decide_dialect();
}

void DinReader::decide_dialect() {
    bool extended = false;
    std::uint64_t sizes = 0;
    std::uint64_t others = 0;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t) {
        if (is_beside(line)) return;
        const std::string_view label = take_word(line);
        extended = extended || is_label(label, kTypes);
        if (!is_label(label, kLabels)) return;
        take_word(line);
        const std::string_view third = take_word(line);
        if (third.empty()) return;
        const ParsedNumber size = hexadecimal(third);
        const bool fits = size.fault == NumberFault::kNone && size.value >= 1 &&
                          size.value <= kLargestOperand;
        ++(fits ? sizes : others);
    });
    third_ = sizes != 0 && others == 0 ? Third::kSize : Third::kComment;
    sink().dialect(extended                  ? "extended, sizes in hexadecimal"
                   : third_ == Third::kSize ? "a third column of sizes in hexadecimal"
                                            : "without sizes");
}

void DinReader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (line.peek() == '#') return sink.skip(comments_);
    const std::size_t start = line.position();
    const std::string_view word = line.word();
    const bool extended = is_label(word, kTypes);
    if (!extended && !is_label(word, kLabels)) line.reject("not a label", kForm);
    const char label = static_cast<char>(word[0] | (extended ? 0x20 : 0));  // lower case
    line.go_to(start + 1);
    line.skip_blanks();
    const std::uint64_t va = line.hexadecimal(kForm);
    if (!line.at_end() && line.peek() != ' ' && line.peek() != '\t')
        line.reject("text behind the address", "a blank or the end of the line");
    line.skip_blanks();
    std::uint64_t bytes = 0;
    if (extended && line.at_end()) line.reject("no size", kSizeForm);
    if (extended || (third_ == Third::kSize && !line.at_end())) {
        bytes = line.size(NumberBase::kHexadecimal, kSizeForm);
        if (!line.at_end() && line.peek() != ' ' && line.peek() != '\t')
            line.reject("text behind the size", "a blank or the end of the line");
    }
    switch (label) {
        case '0':
        case 'r':
        case 'm':
            sink.access(AccessKind::kLoad, va, bytes);
            break;
        case '1':
        case 'w':
            sink.access(AccessKind::kStore, va, bytes);
            break;
        case '2':
        case 'i':
            sink.access(AccessKind::kFetch, va, bytes);
            break;
        case '3':
        case '4':
            sink.skip(escapes_);
            break;
        default:
            sink.skip(cache_operations_);
    }
}

}  // namespace nestwalk
