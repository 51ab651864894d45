#include "traces/dynamorio_reader.h"
#include "traces/access_word.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm =
    "a record of drmemtrace's view, as '1 0: 42 read 8 byte(s) @ 0x7ffd90c13950 by PC 0x40257e'";
constexpr std::string_view kSimpleForm = "ADDRESS: SIZE, r, w or an opcode, as in '0x7ffe10: 8, w'";
constexpr std::string_view kCommasForm =
    "PC,r or w,SIZE,ADDRESS as in '0x40257e,r,8,0x7ffe10', or PC,OPCODE";
constexpr std::string_view kDecimalDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

/// How lines begin that are no records. Lines in angle brackets are DynamoRIO's own.
constexpr std::array<std::string_view, 7> kBanners{
    "Output format:", "Format:", "<--record", "<record", "---", "View tool results", "WARNING:"};

/// Since 1601, in microseconds: too much for 64 bits in nanoseconds.
constexpr std::uint64_t kLatestMicroseconds = UINT64_MAX / 1000;
/// On Linux the rest of the number says which socket it is on.
constexpr std::uint64_t kCpuBits = 0xfff;

std::size_t number_length(std::string_view text) {
    const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
    const std::size_t from = prefixed ? 2 : 0;
    const std::size_t end = std::min(text.find_first_not_of(kHexDigits, from), text.size());
    return end == from ? 0 : end;
}

bool is_digit(char c) { return kDecimalDigits.find(c) != std::string_view::npos; }

bool is_view(std::string_view line) {
    return line.find(" byte(s) @ ") != std::string_view::npos ||
           line.find("<marker: ") != std::string_view::npos;
}

// Of the pairs of digits at the start of the text, each with a blank behind it.
std::size_t instruction_bytes(std::string_view text) {
    std::size_t bytes = 0;
    while (text.size() >= 2 && kHexDigits.find(text[0]) != std::string_view::npos &&
           kHexDigits.find(text[1]) != std::string_view::npos &&
           (text.size() == 2 || text[2] == ' ')) {
        ++bytes;
        text.remove_prefix(std::min<std::size_t>(3, text.size()));
    }
    return bytes;
}

// "T4711   0x0000000000467c45  4c 8b 54 24 08       mov ...", an instruction of the first views.
bool is_first_view(std::string_view line) {
    line = without_blanks(line);
    if (line.size() < 2 || line[0] != 'T' || !is_digit(line[1])) return false;
    line = without_blanks(line.substr(std::min(line.find_first_of(" \t"), line.size())));
    if (!line.starts_with("0x")) return false;
    line.remove_prefix(number_length(line));
    return line.starts_with(' ') && instruction_bytes(without_blanks(line)) != 0;
}

// ADDRESS: SIZE, WORD
bool is_simple(std::string_view line) {
    line = without_blanks(line);
    line.remove_prefix(number_length(line));
    if (!line.starts_with(':')) return false;
    line = without_blanks(line.substr(1));
    const std::size_t digits = line.find_first_not_of(kDecimalDigits);
    return digits != 0 && digits != std::string_view::npos && line[digits] == ',';
}

// PC,WORD with 0x before the PC.
bool is_commas(std::string_view line) {
    line = without_blanks(line);
    if (!line.starts_with("0x") && !line.starts_with("0X")) return false;
    const std::size_t length = number_length(line);
    if (length == 0 || line.size() < length + 2 || line[length] != ',') return false;
    const char first = line[length + 1];
    return first >= 'a' && first <= 'z';
}

// "     12345 : total instructions", the last line of the view.
bool is_total(std::string_view line) {
    line = without_blanks(line);
    line.remove_prefix(std::min(line.find_first_not_of(kDecimalDigits), line.size()));
    return line == " : total instructions";
}

// The bytes of a long instruction go on in a line of their own, without a record.
bool is_continuation(std::string_view details) {
    if (details.size() < 2) return false;
    for (std::size_t i = 0; i < details.size(); ++i) {
        const bool blank = i % 3 == 2;
        if (blank != (details[i] == ' ')) return false;
        if (!blank && kHexDigits.find(details[i]) == std::string_view::npos) return false;
    }
    return true;
}

}  // namespace

bool DynamorioReader::recognises(std::string_view line) {
    return is_view(line) || is_first_view(line) || is_simple(line) || is_commas(line);
}

bool DynamorioReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    if (line.empty() || is_total(line)) return true;
    if (line[0] == '<' && line.find("<marker: ") != 0) return true;
    return std::any_of(kBanners.begin(), kBanners.end(),
                       [&](std::string_view banner) { return line.starts_with(banner); });
}

DynamorioReader::DynamorioReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "dynamorio") {
    banners_ = sink().skips("banner lines", "DynamoRIO's own");
    blanks_ = sink().skips("blank lines", "nothing on them");
    gaps_ = sink().skips("lines '<...>'", "records were left out there");
    markers_ = sink().skips("markers", "no accesses");
    continuations_ = sink().skips("lines of instruction bytes", "the line before goes on");
    hints_ = sink().skips("prefetches and cache flushes", "they need not translate");
    unfetched_ = sink().skips("instructions", "not fetched again");
}

void DynamorioReader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (is_view(line.line()) || is_first_view(line.line())) return read_view(line, sink);
    if (line.rest() == "<...>") return sink.skip(gaps_);
    if (is_beside(line.line())) return sink.skip(banners_);
    if (is_simple(line.line())) return read_simple(line, sink);
    if (is_commas(line.line())) return read_commas(line, sink);
    read_view(line, sink);
}

// "RECORD INSTRUCTION: THREAD", "RECORD: TTHREAD", "RECORD INSTRUCTION: WN.TTHREAD", "TTHREAD" or
// nothing, by version.
void DynamorioReader::read_prefix(LineScanner& line, ImportSink& sink) {
    const std::size_t colon = line.line().find(':');
    const std::size_t before = line.line().find_first_not_of(" \t0123456789");
    if (colon != std::string_view::npos && before == colon) line.go_to(colon + 1);
    line.skip_blanks();
    const auto begins_number = [&](char letter) {
        const std::string_view rest = line.rest();
        return rest.size() > 1 && rest[0] == letter && is_digit(rest[1]);
    };
    if (begins_number('W')) {
        line.take('W');
        sink.process(line.decimal("the number of a workload"));
        if (!line.take('.')) line.reject("no thread", kForm);
    }
    if (begins_number('T')) line.take('T');
    if (is_digit(line.peek())) sink.thread(line.decimal("the number of a thread"));
    line.skip_blanks();
}

void DynamorioReader::read_view(LineScanner& line, ImportSink& sink) {
    read_prefix(line, sink);
    if (line.peek() == '<') return read_marker(line, sink);
    if (is_continuation(line.rest())) return sink.skip(continuations_);
    if (line.rest().starts_with("0x")) return read_first_view(line, sink);
    const std::size_t start = line.position();
    const std::string_view word = line.word();
    line.go_to(start + word.size());
    line.skip_blanks();
    const bool is_hint = word.starts_with("pref") || word == "iflush" || word == "dflush";
    const AccessWord access = access_word(word);
    if (!is_hint && access != AccessWord::kLoad && access != AccessWord::kStore &&
        access != AccessWord::kFetch)
        line.reject_at(start, "not a record", kForm);
    const std::uint64_t bytes = line.size(NumberBase::kDecimal, "a number of bytes");
    line.skip_blanks();
    if (!line.take("byte(s) @ ")) line.reject("no address", kForm);
    const std::uint64_t va = line.hexadecimal("an address");
    if (!line.at_end() && line.peek() != ' ' && line.peek() != '\t')
        line.reject("text behind the address", "a blank or the end of the line");
    if (is_hint) return sink.skip(hints_);
    if (access == AccessWord::kFetch) {
        if (line.rest().ends_with("non-fetched instruction")) return sink.skip(unfetched_);
        sink.access(AccessKind::kFetch, va, bytes);
        return;
    }
    sink.access(access == AccessWord::kStore ? AccessKind::kStore : AccessKind::kLoad, va, bytes);
}

void DynamorioReader::read_first_view(LineScanner& line, ImportSink& sink) {
    const std::uint64_t pc = line.hexadecimal("an address");
    line.skip_blanks();
    const std::size_t bytes = instruction_bytes(line.rest());
    if (bytes == 0) line.reject("no bytes of an instruction", kForm);
    sink.access(AccessKind::kFetch, pc, bytes);
}

void DynamorioReader::read_marker(LineScanner& line, ImportSink& sink) {
    sink.skip(markers_);
    if (line.take("<marker: timestamp ")) {
        const std::uint64_t microseconds = line.decimal("a time in microseconds");
        if (microseconds <= kLatestMicroseconds) sink.time(microseconds * 1000);
    } else if (line.take("<marker: tid ")) {
        sink.thread(line.decimal("the number of a thread"));
        if (!line.take(" on core ")) return;
        const std::uint64_t cpu = line.decimal("the number of a CPU");
        if (cpu != UINT64_MAX) sink.cpu(cpu & kCpuBits);
    }
}

void DynamorioReader::read_simple(LineScanner& line, ImportSink& sink) {
    const std::uint64_t va = line.hexadecimal(kSimpleForm);
    line.take(':');
    line.skip_blanks();
    const std::uint64_t bytes = line.size(NumberBase::kDecimal, kSimpleForm);
    if (!line.take(',')) line.reject("no comma", kSimpleForm);
    line.skip_blanks();
    const std::string_view word = line.word();
    if (word.empty() || is_digit(word[0])) line.reject("no kind of access", kSimpleForm);
    const AccessKind kind = word == "w"   ? AccessKind::kStore
                            : word == "r" ? AccessKind::kLoad
                                          : AccessKind::kFetch;
    line.go_to(line.position() + word.size());
    line.skip_blanks();
    if (!line.at_end()) line.reject("text behind the access", "the end of the line");
    sink.access(kind, va, bytes);
}

void DynamorioReader::read_commas(LineScanner& line, ImportSink& sink) {
    const std::uint64_t pc = line.hexadecimal(kCommasForm);
    line.take(',');
    const std::string_view rest = line.rest();
    const std::string_view word = rest.substr(0, rest.find_first_of(", \t"));
    const AccessWord access = access_word(word);
    const bool is_store = access == AccessWord::kStore;
    if (access != AccessWord::kLoad && !is_store) {
        if (rest.size() > word.size() && rest[word.size()] == ',')
            line.reject("neither an opcode nor an access", kCommasForm);
        sink.access(AccessKind::kFetch, pc, 0);
        return;
    }
    line.go_to(line.position() + word.size());
    if (!line.take(',')) line.reject("no size", kCommasForm);
    const std::uint64_t bytes = line.size(NumberBase::kDecimal, kCommasForm);
    if (!line.take(',')) line.reject("no address", kCommasForm);
    if (!line.rest().starts_with("0x") && !line.rest().starts_with("0X"))
        line.reject("an address without 0x", kCommasForm);
    const std::uint64_t va = line.hexadecimal(kCommasForm);
    line.skip_blanks();
    if (!line.at_end()) line.reject("text behind the address", "the end of the line");
    sink.access(is_store ? AccessKind::kStore : AccessKind::kLoad, va, bytes);
}

}  // namespace nestwalk
