#include "traces/lackey_reader.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

namespace nestwalk {
namespace {

// More than any instruction touches (XSAVE: some 2.7 KiB without AMX, which Valgrind does not run).
constexpr std::uint64_t kMostBytes = 4096;
constexpr std::string_view kReferenceForm =
    "I, L, S or M, then ADDRESS,SIZE as in ' L 1fff0006a8,8'";

/// Where in the report each kind of line that is passed over stands.
constexpr std::size_t kBanner = 0;
constexpr std::size_t kBlank = 1;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t skip_blanks(std::string_view line, std::size_t at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    return at;
}

std::string_view word_at(std::string_view line, std::size_t at) {
    return line.substr(at, line.find_first_of(" \t", at) - at);
}

bool is_kind(char c) { return c == 'I' || c == 'L' || c == 'S' || c == 'M'; }

// Valgrind frames its process number: ==123==, --123-- and **123**.
bool is_frame(char c) { return c == '=' || c == '-' || c == '*'; }

constexpr std::array<std::uint8_t, 256> kHexDigits = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(16);
    for (std::uint8_t i = 0; i < 10; ++i) values[std::size_t{'0'} + i] = i;
    for (std::uint8_t i = 0; i < 6; ++i) {
        values[std::size_t{'a'} + i] = static_cast<std::uint8_t>(10 + i);
        values[std::size_t{'A'} + i] = static_cast<std::uint8_t>(10 + i);
    }
    return values;
}();

}  // namespace

LackeyReader::LackeyReader(LineReader lines, const ImportOptions& options)
    : lines_(std::move(lines)), fetches_(options.fetches) {
    report_.format = "lackey";
    report_.skipped = {{"banner lines", "Valgrind's own", 0},
                       {"blank lines", "nothing on them", 0}};
    if (options.spaces_from == SpacesFrom::kProcess)
        report_.notes.emplace_back("the trace names no process: all share one address space");
    if (options.cpus_from != CpusFrom::kNothing)
        report_.notes.emplace_back("the trace names no thread and no CPU: all run on one vCPU");
    item_.emplace<Record>().what = Operation(Access{});
}

bool LackeyReader::is_banner(std::string_view line) {
    const std::size_t start = skip_blanks(line, 0);
    if (start == line.size()) return true;
    line.remove_prefix(start);
    if (line.starts_with("SB ")) return true;  // of --trace-superblocks=yes
    if (line.size() < 5 || !is_frame(line[0]) || line[1] != line[0]) return false;
    if (line[2] < '0' || line[2] > '9') return false;
    const std::size_t end = line.find_first_not_of("0123456789:. ", 2);  // --time-stamp=yes
    return end != std::string_view::npos && line.substr(end).starts_with(line.substr(0, 2));
}

bool LackeyReader::looks_like_reference(std::string_view line) {
    const std::size_t kind = skip_blanks(line, 0);
    return kind + 1 < line.size() && is_kind(line[kind]) && is_blank(line[kind + 1]);
}

// --- In bulk ------------------------------------------------------------------------------------

/// Lines as lackey prints nearly all of them are read here, at several times the speed; at any
/// other, `next` reads on, and says what is wrong with it if anything is.
AccessRun LackeyReader::next_accesses() {
    run_size_ = 0;
    while (run_size_ == 0 && !store_pending_) {
        const std::string_view text = lines_.whole_lines();
        // The shortest line, " M 0,1", is two accesses.
        const std::size_t most = text.size() / 3 + 2;
        if (run_.size() < most) {
            run_.resize(most);
            run_lines_.resize(most);
        }
        std::uint32_t lines = 0;
        const std::uint64_t first = lines_.line_number() + 1;
        const char* const end = text.data() + text.size();
        const char* const at = parse_plain(text.data(), end, lines);
        if (lines == 0) break;
        lines_.pass(static_cast<std::size_t>(at - text.data()), lines);
        report_.read += lines;
        if (run_size_ == 0) continue;  // nothing but fetches that are dropped
        return {.accesses = std::span(run_).first(run_size_),
                .first_line = first,
                .lines_after = std::span(run_lines_).first(run_size_)};
    }
    return {};
}

/// Parses lines from `at` on into the run. Returns where it stopped, at the beginning of a line;
/// `lines` is how many it passed.
const char* LackeyReader::parse_plain(const char* at, const char* end, std::uint32_t& lines) {
    // Every loop below ends at a line feed at the latest, and there is one before `end`.
    for (; at != end; ++lines) {
        const char kind = at[0] == 'I' ? 'I' : at[0] == ' ' ? at[1] : '\n';
        if (!is_kind(kind) || at[at[0] == 'I' ? 1 : 2] != ' ') return at;
        const char* digit = at + 3;
        if (kind == 'I' && at[2] != ' ') return at;
        std::uint64_t va = 0;
        const char* const first = digit;
        for (unsigned value; (value = kHexDigits[static_cast<unsigned char>(*digit)]) < 16; ++digit)
            va = va << 4 | value;
        if (*digit != ',' || digit == first || digit - first > 16) return at;
        std::uint64_t bytes = 0;
        const char* const size = ++digit;
        for (; *digit >= '0' && *digit <= '9' && digit - size < 4; ++digit)
            bytes = 10 * bytes + static_cast<std::uint64_t>(*digit - '0');
        if (*digit != '\n' || digit == size) return at;
        if (!PackedAccess::fits(Access{.va = VirtAddr(va), .bytes = bytes})) return at;
        const std::uint64_t rest = PackedAccess(Access{.va = VirtAddr(va), .bytes = bytes}).word();
        if (kind == 'I') {
            if (fetches_ == Fetches::kKept) {
                add(AccessKind::kFetch, rest, lines);
                ++report_.fetches;
            } else {
                ++report_.dropped_fetches;
            }
        }
        if (kind == 'L' || kind == 'M') {
            add(AccessKind::kLoad, rest, lines);
            ++report_.loads;
        }
        if (kind == 'S' || kind == 'M') {
            add(AccessKind::kStore, rest, lines);
            ++report_.stores;
        }
        at = digit + 1;
    }
    return at;
}

void LackeyReader::add(AccessKind kind, std::uint64_t rest, std::uint32_t lines) {
    run_[run_size_] = PackedAccess(rest | static_cast<std::uint64_t>(kind));
    run_lines_[run_size_] = lines;
    ++run_size_;
}

// --- Line by line -------------------------------------------------------------------------------

const TraceItem* LackeyReader::next() {
    if (std::exchange(store_pending_, false)) {
        Access store = std::get<Access>(std::get<Operation>(std::get<Record>(item_).what));
        store.kind = AccessKind::kStore;
        return emit(store);
    }
    std::string_view line;
    while (lines_.next(line)) {
        ++report_.read;
        const std::size_t start = skip_blanks(line, 0);
        if (looks_like_reference(line)) {
            const Access access = parse(line);
            if (access.kind != AccessKind::kFetch || fetches_ == Fetches::kKept)
                return emit(access);
            ++report_.dropped_fetches;
        } else if (is_banner(line)) {
            ++report_.skipped[start == line.size() ? kBlank : kBanner].count;
        } else {
            throw InputError(lines_.at(start + 1),
                             fault("not a lackey record", line.substr(start), kReferenceForm));
        }
    }
    return nullptr;
}

Access LackeyReader::parse(std::string_view line) {
    const std::size_t kind = skip_blanks(line, 0);
    const std::size_t start = skip_blanks(line, kind + 1);
    const auto reject = [&](std::string_view what, std::size_t at, std::string_view expected) {
        throw InputError(lines_.at(at + 1), fault(what, word_at(line, start), expected));
    };
    const char* const end = line.data() + line.size();
    std::uint64_t va = 0;
    std::uint64_t bytes = 0;
    const bool prefixed = line.substr(start).starts_with("0x") && line.size() > start + 2;
    const auto address = std::from_chars(line.data() + start + (prefixed ? 2 : 0), end, va, 16);
    if (address.ec == std::errc::result_out_of_range)
        reject("address too large", start, "at most 16 hexadecimal digits");
    if (address.ec != std::errc{}) reject("not an address", start, kReferenceForm);
    const auto comma = static_cast<std::size_t>(address.ptr - line.data());
    if (address.ptr == end || *address.ptr != ',') reject("no size", start, kReferenceForm);
    const auto size = std::from_chars(line.data() + skip_blanks(line, comma + 1), end, bytes);
    if (size.ec == std::errc::invalid_argument) reject("not a size", comma + 1, kReferenceForm);
    if (size.ec != std::errc{} || bytes == 0 || bytes > kMostBytes)
        reject("size out of range", comma + 1, "1 to 4096 bytes");
    const auto behind = static_cast<std::size_t>(size.ptr - line.data());
    if (skip_blanks(line, behind) != line.size())
        reject("text behind the size", behind, "the end of the line");
    store_pending_ = line[kind] == 'M';
    const AccessKind access = line[kind] == 'I'   ? AccessKind::kFetch
                              : line[kind] == 'S' ? AccessKind::kStore
                                                  : AccessKind::kLoad;
    return {.kind = access, .va = VirtAddr(va), .bytes = bytes};
}

const TraceItem* LackeyReader::emit(const Access& access) {
    ++(access.kind == AccessKind::kFetch   ? report_.fetches
       : access.kind == AccessKind::kStore ? report_.stores
                                           : report_.loads);
    Record& record = std::get<Record>(item_);
    record.line = lines_.line_number();
    record.column = 1;
    std::get<Access>(std::get<Operation>(record.what)) = access;
    return &item_;
}

}  // namespace nestwalk
