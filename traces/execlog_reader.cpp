#include "traces/execlog_reader.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm =
    "VCPU, 0xPC, 0xOPCODE, \"DISASSEMBLY\", as in '0, 0x401000, 0xc3, \"ret\"'";
constexpr std::string_view kAddressForm = "an address, as in 'load, 0x7ffe10'";
constexpr std::string_view kDecimalDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
/// As many as a trace can name.
constexpr std::uint64_t kMostCpus = 8192;

void skip_comma(LineScanner& line) {
    line.skip_blanks();
    if (!line.take(',')) line.reject("no comma", kForm);
    line.skip_blanks();
}

}  // namespace

bool ExeclogReader::recognises(std::string_view line) {
    line = without_blanks(line);
    const std::size_t digits = line.find_first_not_of(kDecimalDigits);
    if (digits == 0 || digits == std::string_view::npos || line[digits] != ',') return false;
    // PC and opcode, the 0x left out in some builds, then the disassembly.
    for (int i = 0; i < 2; ++i) {
        line = without_blanks(line.substr(line.find(',') + 1));
        if (line.starts_with("0x")) line.remove_prefix(2);
        const std::size_t end = line.find_first_not_of(kHexDigits);
        if (end == 0 || end == std::string_view::npos || line[end] != ',') return false;
    }
    return without_blanks(line.substr(line.find(',') + 1)).starts_with('"');
}

bool ExeclogReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#';
}

ExeclogReader::ExeclogReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "execlog") {
    blanks_ = sink().skips("blank lines", "nothing on them");
    comments_ = sink().skips("comment lines", "no accesses");
}

void ExeclogReader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (line.peek() == '#') return sink.skip(comments_);
    const std::size_t start = line.position();
    const std::uint64_t cpu = line.decimal(kForm);
    if (cpu >= kMostCpus) line.reject_at(start, "no such vCPU", "at most 8191");
    sink.cpu(cpu);
    skip_comma(line);
    const std::uint64_t pc = line.hexadecimal(kForm);
    skip_comma(line);
    const std::size_t opcode = line.position();
    line.take("0x");
    line.skip(kHexDigits);  // as many as the instruction is long
    if (line.position() == opcode) line.reject("no opcode", kForm);
    skip_comma(line);
    const std::size_t quote = line.line().rfind('"');
    if (line.peek() != '"') line.reject("no disassembly", kForm);
    if (quote <= line.position()) line.reject("quote not closed", kForm);
    line.go_to(quote + 1);
    sink.access(AccessKind::kFetch, pc, 0);
    read_accesses(line, sink);
}

// What is behind the disassembly, up to the registers.
void ExeclogReader::read_accesses(LineScanner& line, ImportSink& sink) {
    bool behind_access = false;
    for (;;) {
        line.skip_blanks();
        if (line.at_end()) return;
        if (!line.take(',')) line.reject("no comma", "load, store or the end of the line");
        line.skip_blanks();
        const std::string_view rest = line.rest();
        const std::string_view word = rest.substr(0, rest.find_first_of(", \t"));
        line.go_to(line.position() + word.size());
        if (word != "load" && word != "store") {
            const std::string_view piece = rest.substr(0, rest.find(','));
            if (word == "reg" || piece.find(" -> ") != std::string_view::npos) return;
            // In system emulation the address before was a physical one, of this device.
            const bool is_number = piece.find_first_not_of("0123456789") == piece.npos;
            if (!std::exchange(behind_access, false) || is_number)
                line.reject_at(line.position() - word.size(), "not an access",
                               "load, store or the end of the line");
            if (!std::exchange(physical_, true))
                sink.note(
                    "system emulation: addresses of loads and stores are physical ones; "
                    "they were taken for linear ones");
            line.go_to(line.position() - word.size() + piece.size());
            continue;
        }
        line.skip_blanks();
        if (!line.take(',')) line.reject("no comma", kAddressForm);
        line.skip_blanks();
        const std::uint64_t va = line.hexadecimal(kAddressForm);
        sink.access(word == "store" ? AccessKind::kStore : AccessKind::kLoad, va, 0);
        behind_access = true;
    }
}

}  // namespace nestwalk
