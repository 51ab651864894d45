#include "traces/pin_reader.h"
#include "traces/access_word.h"
#include "traces/number.h"
#include "traces/number_base.h"
#include "traces/sample_lines.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm = "IP: R or W, then ADDRESS, as in '0x400810: R 0x602040'";
constexpr std::string_view kTailForm =
    "a size, a value, 'TID: N' or the end of the line behind the address";
constexpr std::string_view kSeparators = " \t,;";
constexpr std::string_view kDigits = "0123456789abcdefABCDEF";

/// First words of lines that tools of this family print between accesses.
constexpr std::array<std::string_view, 8> kBeside{"rtn",   "routine", "function", "img",
                                                  "image", "thread",  "loading",  "unloading"};

struct Label {
    std::string_view word;
    Column column;
};
constexpr std::array<Label, 6> kLabels{{{"tid", Column::kThread},
                                        {"thread", Column::kThread},
                                        {"threadid", Column::kThread},
                                        {"pid", Column::kProcess},
                                        {"process", Column::kProcess},
                                        {"size", Column::kSize}}};

/// A size of more than this is no size.
constexpr std::uint64_t kLargestOperand = 64;
/// So many numbers from 1 to kLargestOperand, and no other, are sizes.
constexpr std::uint64_t kEnoughSizes = 16;

bool equal_in_any_case(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

std::string_view first_letters(std::string_view text) {
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// The parts of a line that begins as an access does.
struct Start {
    std::string_view instruction{};
    std::string_view operation{};
    std::string_view address{};
    std::string_view tail{};
    bool complete{};
};

std::string_view take_number(std::string_view& text) {
    std::size_t end = text.starts_with("0x") || text.starts_with("0X") ? 2 : 0;
    end = std::min(text.find_first_not_of(kDigits, end), text.size());
    const std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    return number;
}

Start start_of(std::string_view line) {
    Start start{};
    std::string_view rest = without_blanks(line);
    start.instruction = take_number(rest);
    rest = without_blanks(rest);
    if (start.instruction.empty() || !rest.starts_with(':')) return start;
    rest = without_blanks(rest.substr(1));
    start.operation = first_letters(rest);
    rest = without_blanks(rest.substr(start.operation.size()));
    start.complete = access_word(start.operation) != AccessWord::kNone;
    start.address = take_number(rest);
    start.tail = rest;
    return start;
}

}  // namespace

bool PinReader::recognises(std::string_view line) { return start_of(line).complete; }

bool PinReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    if (line.empty() || line[0] == '#') return true;
    const std::string_view word = first_letters(line);
    const std::string_view behind = line.substr(word.size());
    if (!behind.empty() && behind[0] != ':' && behind[0] != ' ' && behind[0] != '\t') return false;
    return std::any_of(kBeside.begin(), kBeside.end(),
                       [&](std::string_view known) { return equal_in_any_case(known, word); });
}

PinReader::PinReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "pin") {
    comments_ = sink().skips("comment lines", "the header, #eof and their like");
    routines_ = sink().skips("lines of routines, images and threads", "names, no accesses");
    blanks_ = sink().skips("blank lines", "nothing on them");
    prefetches_ = sink().skips("prefetches", "hints, which need not translate");
    decide_dialect();
}

void PinReader::decide_dialect() {
    BaseGuess base;
    std::uint64_t sizes = 0;
    std::uint64_t values = 0;
    std::uint64_t first_line = 0;
    std::string first_number;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t number) {
        const Start start = start_of(line);
        if (!start.complete) return;
        const auto column = [&](std::string_view part) {
            return static_cast<std::uint64_t>(part.data() - line.data()) + 1;
        };
        base.see(start.instruction, number, column(start.instruction));
        base.see(start.address, number, column(start.address));
        std::string_view tail = start.tail;
        tail.remove_prefix(std::min(tail.find_first_not_of(kSeparators), tail.size()));
        if (!tail.starts_with("0x") && !tail.starts_with("0X")) return;
        const std::string_view digits = take_number(tail).substr(2);
        const ParsedNumber parsed = parse_number("0x" + std::string(digits));
        const bool small = parsed.fault == NumberFault::kNone && parsed.value >= 1 &&
                           parsed.value <= kLargestOperand;
        ++(small ? sizes : values);
        if (first_line == 0) {
            first_line = number;
            first_number = "0x" + std::string(digits);
        }
    });
    base_ = base.decide(sink().options().base, name());
    first_hex_ = values != 0 ? Hex::kValue : Hex::kSize;
    if (values == 0 && sizes != 0 && sizes < kEnoughSizes)
        throw InputError({name(), first_line},
                         "two readings: " + quoted(first_number) +
                             " behind the address is a size or a value; expected --columns "
                             "ip,op,address,size or --columns ip,op,address,value "
                             "(workload.import.columns)");
}

void PinReader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (line.peek() == '#') return sink.skip(comments_);
    if (!line.letters().empty() && is_beside(line.line())) return sink.skip(routines_);
    line.number(base_, kForm);
    line.skip_blanks();
    if (!line.take(':')) line.reject("no colon behind the instruction's address", kForm);
    line.skip_blanks();
    const std::string_view word = line.letters();
    const AccessWord access = access_word(word);
    if (access == AccessWord::kNone) line.reject("not an access", kForm);
    line.go_to(line.position() + word.size());
    line.skip_blanks();
    const std::uint64_t va = line.number(base_, kForm);
    const std::uint64_t bytes = read_tail(line, sink);
    switch (access) {
        case AccessWord::kPrefetch:
            return sink.skip(prefetches_);
        case AccessWord::kFetch:
            sink.access(AccessKind::kFetch, va, bytes);
            return;
        case AccessWord::kModify:
            sink.access(AccessKind::kLoad, va, bytes);
            [[fallthrough]];
        case AccessWord::kStore:
            sink.access(AccessKind::kStore, va, bytes);
            return;
        default:
            sink.access(AccessKind::kLoad, va, bytes);
    }
}

// Returns the size, 0 if the line has none.
std::uint64_t PinReader::read_tail(LineScanner& line, ImportSink& sink) {
    std::uint64_t bytes = 0;
    int numbers = 0;
    for (;;) {
        const std::size_t before = line.position();
        line.skip(kSeparators);
        if (line.at_end()) return bytes;
        if (line.position() == before) line.reject("text behind the address", kTailForm);
        if (read_label(line, sink, bytes)) continue;
        const std::string_view rest = line.rest();
        const std::string_view word = rest.substr(0, rest.find_first_of(kSeparators));
        const bool is_value = numbers == 1 || (numbers == 0 && first_hex_ == Hex::kValue &&
                                               (word.starts_with("0x") || word.starts_with("0X")));
        ++numbers;
        if (is_value) {
            line.go_to(line.position() + word.size());
            ++numbers;
        } else if (numbers == 1) {
            bytes = line.size(NumberBase::kDecimal, kTailForm);
        } else {
            line.reject("too many columns", kTailForm);
        }
    }
}

// "TID: 4711" and its like; false if none is next.
bool PinReader::read_label(LineScanner& line, ImportSink& sink, std::uint64_t& bytes) {
    const std::size_t start = line.position();
    const std::string_view word = line.letters();
    const Label* const label = std::find_if(kLabels.begin(), kLabels.end(), [&](const Label& row) {
        return equal_in_any_case(row.word, word);
    });
    if (label == kLabels.end()) return false;
    line.go_to(start + word.size());
    line.skip(" \t:=");
    switch (label->column) {
        case Column::kThread:
            sink.thread(line.decimal("the number of a thread"));
            break;
        case Column::kProcess:
            sink.process(line.decimal("the number of a process"));
            break;
        default:
            bytes = line.size(NumberBase::kDecimal, "a number of bytes");
    }
    return true;
}

}  // namespace nestwalk
