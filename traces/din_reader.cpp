#include "traces/din_reader.h"
#include "traces/access_word.h"
#include "traces/number.h"
#include "traces/sample_lines.h"
#include "traces/size_guess.h"
#include "traces/source_location.h"
#include "traces/wording.h"

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
/// So many lines that access nothing, one in eight, are more than traces have.
constexpr std::uint64_t kEnoughEscapes = 4;
/// A larger number is no size, and the line another tool's.
constexpr std::uint64_t kMostBytes = 4096;

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

// Operands of 16, 32 and 64 bytes are 10, 20 and 40 in hexadecimal.
bool looks_decimal(std::string_view size) { return size == "16" || size == "32" || size == "64"; }
bool looks_hexadecimal(std::string_view size) {
    return size == "20" || size == "40" || size.starts_with("0x") ||
           (size.size() <= 2 && size.find_first_of("abcdefABCDEF") != std::string_view::npos);
}

bool is_label(std::string_view word, std::string_view labels) {
    return word.size() == 1 && labels.find(word[0]) != std::string_view::npos;
}

// "3 7fff0010 R": the comment says an access that is not the label's, which then is no label.
bool contradicts(std::string_view label, std::string_view comment) {
    switch (access_word(take_word(comment))) {
        case AccessWord::kNone:
        case AccessWord::kPrefetch:
            return false;
        case AccessWord::kLoad:
            return label != "0";
        case AccessWord::kStore:
            return label != "1";
        case AccessWord::kFetch:
            return label != "2";
        case AccessWord::kModify:
            return true;
    }
    return false;
}

}  // namespace

bool DinReader::recognises(std::string_view line) {
    const std::string_view label = take_word(line);
    const std::string_view address = take_word(line);
    if (is_label(label, kLabels)) return is_number(address) && !contradicts(label, line);
    if (!is_label(label, kTypes) || !is_number(address)) return false;
    const ParsedNumber size = hexadecimal(take_word(line));
    return size.fault == NumberFault::kNone && size.value <= kMostBytes;
}

bool DinReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#';
}

void DinReader::ask_about_threads(std::string_view sample, const std::string& file) {
    SizeGuess sizes;
    std::uint64_t lines = 0;
    std::uint64_t escapes = 0;
    std::uint64_t first_escape = 0;
    for_each_line(sample, [&](std::string_view line, std::uint64_t number) {
        if (is_beside(line)) return;
        ++lines;
        const std::string_view label = take_word(line);
        take_word(line);
        if (label == "3" || label == "4") {
            if (escapes++ == 0) first_escape = number;
        }
        if (is_label(label, "rwmRWM")) sizes.see(take_word(line), number);
    });
    if (sizes.is_doubtful())
        throw InputError({file, sizes.line()},
                         "two readings: " + quoted(sizes.number()) +
                             " behind the address is a size or the number of a thread; expected "
                             "--trace-format din or --columns op,address,tid (workload.format, "
                             "workload.import.columns)");
    if (escapes >= kEnoughEscapes && 8 * escapes >= lines)
        throw InputError({file, first_escape},
                         "two readings: the first column is labels of din, where 3 and 4 access "
                         "nothing, or the numbers of threads; expected --trace-format din or "
                         "--columns tid,address (workload.format, workload.import.columns)");
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
    bool hexadecimal_sizes = false;
    std::string decimal_size;
    std::uint64_t decimal_line = 0;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t number) {
        if (is_beside(line)) return;
        const std::string_view label = take_word(line);
        extended = extended || is_label(label, kTypes);
        take_word(line);
        const std::string_view third = take_word(line);
        if (third.empty()) return;
        hexadecimal_sizes = hexadecimal_sizes || looks_hexadecimal(third);
        if (decimal_line == 0 && looks_decimal(third)) {
            decimal_size = third;
            decimal_line = number;
        }
        if (!is_label(label, kLabels)) return;
        const ParsedNumber size = hexadecimal(third);
        const bool fits =
            size.fault == NumberFault::kNone && size.value >= 1 && size.value <= kLargestOperand;
        ++(fits ? sizes : others);
    });
    third_ = sizes != 0 && others == 0 ? Third::kSize : Third::kComment;
    size_base_ = sink().options().base;
    if (size_base_ == NumberBase::kFromContent) {
        size_base_ = NumberBase::kHexadecimal;
        const bool has_sizes = extended || third_ == Third::kSize;
        if (has_sizes && decimal_line != 0 && !hexadecimal_sizes)
            throw InputError({name(), decimal_line},
                             "two readings: " + quoted(decimal_size) +
                                 " is a size in decimal or in hexadecimal; expected --radix 10 or "
                                 "--radix 16 (workload.import.radix)");
    }
    sink().dialect(extended                 ? "extended"
                   : third_ == Third::kSize ? "a third column of sizes"
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
        bytes = line.size(size_base_, kSizeForm);
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
