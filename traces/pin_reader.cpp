#include "traces/pin_reader.h"
#include "traces/access_word.h"
#include "traces/number.h"
#include "traces/number_base.h"
#include "traces/order_guess.h"
#include "traces/sample_lines.h"
#include "traces/size_guess.h"
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
    "a size, a value, 'TID: N' or the end of the line behind the address, else --columns";
constexpr std::string_view kSeparators = " \t,;";
constexpr std::string_view kBehindId = " \t,;:";
constexpr std::string_view kDigits = "0123456789abcdefABCDEF";

/// First words of lines that tools of this family print between accesses.
constexpr std::array<std::string_view, 14> kBeside{
    "rtn",    "routine", "function", "img",      "image",   "sec",  "section",
    "thread", "loading", "enter",    "entering", "leaving", "exit", "unloading"};
/// What printf's %p makes of address 0.
constexpr std::string_view kNil = "(nil)";

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

/// Labels that may stand before the instruction as well: "threadId: 0, 0x400810: R 0x602040".
bool is_id(Column column) { return column == Column::kThread || column == Column::kProcess; }

/// A size of more than this is no size.
constexpr std::uint64_t kLargestOperand = 64;
/// So many numbers from 1 to kLargestOperand, and no other, are sizes.
constexpr std::uint64_t kEnoughSizes = 16;

/// An instruction below that would be in a page that nothing maps.
constexpr std::uint64_t kFirstCode = 4096;

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

const Label* label_named(std::string_view word) {
    const auto found = std::find_if(kLabels.begin(), kLabels.end(), [&](const Label& row) {
        return equal_in_any_case(row.word, word);
    });
    return found == kLabels.end() ? nullptr : &*found;
}

std::string_view take_number(std::string_view& text) {
    std::size_t end = text.starts_with("0x") || text.starts_with("0X") ? 2 : 0;
    end = std::min(text.find_first_not_of(kDigits, end), text.size());
    if (text.starts_with(kNil)) end = kNil.size();
    const std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    return number;
}

// The ids before the instruction, with their labels.
std::string_view ids_before(std::string_view line) {
    const std::string_view all = without_blanks(line);
    std::string_view rest = all;
    for (;;) {
        const std::string_view word = first_letters(rest);
        const Label* const label = word.empty() ? nullptr : label_named(word);
        if (label == nullptr || !is_id(label->column)) break;
        std::string_view behind = rest.substr(word.size());
        behind.remove_prefix(std::min(behind.find_first_not_of(" \t:="), behind.size()));
        const std::size_t digits = behind.find_first_not_of("0123456789");
        if (digits == 0 || digits == std::string_view::npos) break;
        behind.remove_prefix(digits);
        const std::size_t end = behind.find_first_not_of(kBehindId);
        if (end == 0 || end == std::string_view::npos) break;
        rest = behind.substr(end);
    }
    if (rest.size() == all.size()) return {};  // as on most lines
    std::string_view behind = rest;
    if (take_number(behind).empty() || !without_blanks(behind).starts_with(':')) return {};
    return line.substr(0, static_cast<std::size_t>(rest.data() - line.data()));
}

// A number from 1 to kLargestOperand, in decimal or with 0x.
bool is_operand(std::string_view number) {
    const bool prefixed = number.starts_with("0X");
    const ParsedNumber parsed =
        parse_number((prefixed ? "0x" : "") + std::string(number.substr(prefixed ? 2 : 0)));
    return parsed.fault == NumberFault::kNone && parsed.value >= 1 &&
           parsed.value <= kLargestOperand;
}

// What stands at one place of the first lines.
struct Numbers {
    std::uint64_t operands{};
    std::uint64_t others{};
    std::uint64_t line{};  ///< of the first operand
    std::string first{};

    void see(std::string_view number, std::uint64_t at) {
        if (!is_operand(number)) {
            ++others;
            return;
        }
        if (operands++ != 0) return;
        line = at;
        first = number;
    }
    bool are_operands() const { return operands != 0 && others == 0; }
    [[noreturn]] void ask(const std::string& file, const std::string& readings,
                          const std::string& columns) const {
        throw InputError({file, line}, "two readings: " + quoted(first) + " " + readings +
                                           "; expected --columns " + columns +
                                           " (workload.import.columns)");
    }
};

// The parts of a line that begins as an access does.
struct Start {
    std::string_view instruction{};
    std::string_view operation{};
    std::string_view address{};
    std::string_view tail{};
    bool complete{};
};

Start start_of(std::string_view line) {
    Start start{};
    std::string_view rest = without_blanks(line.substr(ids_before(line).size()));
    start.instruction = take_number(rest);
    rest = without_blanks(rest);
    if (start.instruction.empty() || !rest.starts_with(':')) return start;
    rest = without_blanks(rest.substr(1));
    start.operation = first_letters(rest);
    rest = without_blanks(rest.substr(start.operation.size()));
    if (rest.starts_with(',')) rest = without_blanks(rest.substr(1));
    start.complete = access_word(start.operation) != AccessWord::kNone;
    start.address = take_number(rest);
    start.tail = rest;
    return start;
}

AccessWord access_of(const Start& start) { return access_word(start.operation); }

// Hexadecimal, which leaves addresses as far from each other as they are in decimal; 0 if it is no
// number.
std::uint64_t value_of(std::string_view number) {
    if (number.starts_with("0x") || number.starts_with("0X")) number.remove_prefix(2);
    return parse_number("0x" + std::string(number)).value;
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
    Numbers behind_operation;
    Numbers behind_address;
    Numbers before_address;
    SizeGuess sizes;
    OrderGuess order;
    std::uint64_t first_line = 0;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t number) {
        const Start start = start_of(line);
        if (!start.complete) return;
        const auto column = [&](std::string_view part) {
            return static_cast<std::uint64_t>(part.data() - line.data()) + 1;
        };
        base.see(start.instruction, number, column(start.instruction));
        std::string_view tail = start.tail;
        tail.remove_prefix(std::min(tail.find_first_not_of(kSeparators), tail.size()));
        // Before a label or the end the number may be the size of an access to what is taken for
        // the instruction.
        const bool alone =
            (tail.empty() || !first_letters(tail).empty()) && !is_operand(start.instruction);
        behind_operation.see(alone ? start.address : std::string_view(), number);
        if (!alone || !is_operand(start.address))
            base.see(start.address, number, column(start.address));
        if (first_line == 0) first_line = number;
        const std::uint64_t first = value_of(start.instruction);
        const std::uint64_t second = value_of(start.address);
        if (!tail.empty() || second >= kFirstCode) order.see(first, second, access_of(start));
        std::string_view rest = tail;
        const std::string_view next = take_number(rest);
        before_address.see(is_operand(start.address) && value_of(next) >= kFirstCode
                               ? start.address
                               : std::string_view(),
                           number);
        if (next.starts_with("0x") || next.starts_with("0X")) {
            behind_address.see(next, number);
        } else if (!next.empty() && rest.find_first_not_of(kSeparators) == rest.npos &&
                   access_of(start) != AccessWord::kFetch) {
            sizes.see(next, number);
        }
    });
    if (before_address.are_operands())
        before_address.ask(name(),
                           "behind the access is a size, and the data's address is what "
                           "comes next or what comes first",
                           "ip,op,size,address or --columns address,op,size,ip");
    if (behind_operation.are_operands()) {
        if (behind_operation.operands < kEnoughSizes)
            behind_operation.ask(name(), "behind the access is an address or a size",
                                 "ip,op,address or --columns address,op,size");
        order_ = Order::kAddressSize;
    }
    base_ = base.decide(sink().options().base, name());
    if (order_ == Order::kInstructionAddress && order.is_reversed())
        throw InputError({name(), first_line},
                         "two readings: the address of the data is what comes first or what comes "
                         "last; expected --columns address,op,ip or --columns ip,op,address, and "
                         "what is behind them (workload.import.columns)");
    if (sizes.is_doubtful())
        throw InputError({name(), sizes.line()},
                         "two readings: " + quoted(sizes.number()) +
                             " behind the address is a size or the number of a thread; expected "
                             "--columns ip,op,address,size or --columns ip,op,address,tid "
                             "(workload.import.columns)");
    first_hex_ = behind_address.others != 0 ? Hex::kValue : Hex::kSize;
    if (behind_address.are_operands() && behind_address.operands < kEnoughSizes)
        behind_address.ask(name(), "behind the address is a size or a value",
                           "ip,op,address,size or --columns ip,op,address,value");
}

void PinReader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (line.peek() == '#') return sink.skip(comments_);
    read_ids(line, sink);
    if (!line.letters().empty() && is_beside(line.line())) return sink.skip(routines_);
    const std::uint64_t first = line.take(kNil) ? 0 : line.number(base_, kForm);
    line.skip_blanks();
    if (!line.take(':')) line.reject("no colon behind the instruction's address", kForm);
    line.skip_blanks();
    const std::string_view word = line.letters();
    const AccessWord access = access_word(word);
    if (access == AccessWord::kNone) line.reject("not an access", kForm);
    line.go_to(line.position() + word.size());
    line.skip_blanks();
    if (line.take(',')) line.skip_blanks();
    std::uint64_t va = first;
    std::uint64_t bytes = 0;
    if (order_ == Order::kAddressSize) {
        bytes = line.size(NumberBase::kDecimal, "a number of bytes, as in the first lines");
        read_tail(line, sink);
    } else {
        va = line.take(kNil) ? 0 : line.number(base_, kForm);
        bytes = read_tail(line, sink);
    }
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

// "threadId: 0, " before the instruction, or nothing.
void PinReader::read_ids(LineScanner& line, ImportSink& sink) {
    const std::size_t end = std::max(line.position(), ids_before(line.line()).size());
    std::uint64_t bytes = 0;
    while (line.position() < end && read_label(line, sink, bytes)) line.skip(kBehindId);
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
    const Label* const label = label_named(word);
    if (label == nullptr) return false;
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
