#include "traces/perf_reader.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm =
    "an event, as 'make 4711 [001] 12.345678: tlb:tlb_flush: pages:1 reason:local MM shootdown "
    "(3)'";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kDecimalDigits = "0123456789";

// Bits of a page fault's error code (SDM "Interrupt 14 - Page-Fault Exception").
constexpr std::uint64_t kPresent = 1;
constexpr std::uint64_t kWrite = 2;
constexpr std::uint64_t kInstruction = 16;

/// pages:-1 is TLB_FLUSH_ALL.
constexpr std::uint64_t kAll = UINT64_MAX;
/// No flush of single pages is that long, and no program has that many.
constexpr std::uint64_t kMostPages = PerfRanges::kAllPages;
/// So many records wait for the receivers of a shootdown.
constexpr std::size_t kMostWaiting = 4096;

/// enum tlb_flush_reason of Linux.
enum class Reason : std::uint8_t {
    kTaskSwitch,
    kRemote,
    kLocal,
    kLocalMm,
    kSend,
    kWrongCpu,
    kUnknown
};
struct ReasonRow {
    std::string_view text;  ///< in lower case
    Reason reason;
};
/// What the kernel prints, and the names of the enumerators where a tool prints these.
constexpr std::array<ReasonRow, 7> kReasons{{{"flush on task switch", Reason::kTaskSwitch},
                                             {"remote shootdown", Reason::kRemote},
                                             {"local shootdown", Reason::kLocal},
                                             {"local mm shootdown", Reason::kLocalMm},
                                             {"remote ipi send", Reason::kSend},
                                             {"remote send ipi", Reason::kSend},
                                             {"remote wrong cpu", Reason::kWrongCpu}}};

Reason reason_of(std::string_view fields) {
    std::string text(fields);
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '_' ? ' ' : c;
    });
    const std::size_t at = text.find("reason");
    if (at == std::string::npos) return Reason::kUnknown;
    std::string_view rest = std::string_view(text).substr(at + std::string_view("reason").size());
    if (!rest.starts_with(':') && !rest.starts_with('=')) return Reason::kUnknown;
    rest = without_blanks(rest.substr(1));
    if (rest.starts_with("tlb ")) rest.remove_prefix(4);
    for (const ReasonRow& row : kReasons)
        if (rest.starts_with(row.text)) return row.reason;
    // "reason:3" or "reason:unknown (3)".
    rest.remove_prefix(rest.find('(') + 1);  // none: npos + 1 is 0
    const std::string_view digits = rest.substr(0, rest.find_first_not_of(kDecimalDigits));
    return digits.size() == 1 && digits[0] <= '5' ? static_cast<Reason>(digits[0] - '0')
                                                  : Reason::kUnknown;
}

// perf's own events of page faults, which say where, but not how the page was accessed.
bool is_counted_fault(const PerfEvent& event) {
    return event.name == "page-faults" || event.name == "faults" || event.name == "minor-faults" ||
           event.name == "major-faults";
}

bool is_hexadecimal(std::string_view word) {
    return word.size() >= 4 && word.find_first_not_of(kHexDigits) == std::string_view::npos;
}

// "ADDRESS [SYMBOL (FILE)] IP SYMBOL (FILE)"; where only one number has a symbol behind it, it is
// the instruction's. Nothing behind it has what `perf script -F addr` prints.
bool has_address(std::string_view fields) {
    fields = without_blanks(fields);
    const auto word = [&] { return fields.substr(0, fields.find_first_of(" \t")); };
    if (!is_hexadecimal(word())) return false;
    if (without_blanks(fields.substr(word().size())).empty()) return true;
    for (fields = without_blanks(fields.substr(word().size())); !fields.empty();
         fields = without_blanks(fields.substr(word().size())))
        if (is_hexadecimal(word())) return true;
    return false;
}

// What trace-cmd and the kernel print beside events.
bool is_loss(std::string_view text) {
    return text.starts_with("CPU") && (text.find(" EVENTS]") != std::string_view::npos ||
                                       text.find(" EVENTS DROPPED]") != std::string_view::npos);
}
bool is_tracer_line(std::string_view text) {
    return text.starts_with("cpus=") || text.starts_with("version = ") || is_loss(text) ||
           (text.starts_with("CPU ") && text.ends_with(" is empty"));
}

// "main.c:12", of a call chain with source lines.
bool is_source_line(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    return colon != std::string_view::npos && colon != 0 && colon + 1 < text.size() &&
           text.find_first_of(" \t") == std::string_view::npos &&
           text.find_first_not_of(kDecimalDigits, colon + 1) == std::string_view::npos;
}

// Where in the line a piece of it stands.
std::size_t place_of(std::string_view part, std::string_view line) {
    return static_cast<std::size_t>(part.data() - line.data());
}

// A number from 0 to kMostPages, or kAll.
std::uint64_t read_pages(LineScanner& line, const PerfEvent& event) {
    const auto text = event.field("pages");
    if (!text) line.reject_at(event.name_at, "no number of pages", "'pages:N'");
    line.go_to(place_of(*text, line.line()));
    if (*text == "-1") return kAll;
    const std::uint64_t pages = line.decimal("a number of pages, or -1 for all");
    if (pages != kAll && pages > kMostPages)
        line.reject_at(place_of(*text, line.line()), "too many pages",
                       "at most 34359738368, or -1");
    return pages;
}

}  // namespace

bool PerfReader::recognises(std::string_view line) {
    const auto event = parse_perf_event(line);
    return event && is_used(*event);
}

bool PerfReader::is_used(const PerfEvent& event) {
    return event.name == "tlb_flush" || is_counted_fault(event) ||
           event.name.starts_with("page_fault_") || event.name.starts_with("sys_");
}

bool PerfReader::is_beside(std::string_view line) {
    const std::string_view text = without_blanks(line);
    if (text.empty() || text[0] == '#' || is_tracer_line(text)) return true;
    if (text.find("PERF_RECORD_") != std::string_view::npos) return true;
    // An entry of a call chain is indented: an address, then a symbol; or "main.c:12".
    const std::size_t digits = text.find_first_not_of(kHexDigits);
    if (const auto event = parse_perf_event(line)) return !is_used(*event);
    if (text.size() == line.size()) return false;
    return is_source_line(text) ||
           (digits != std::string_view::npos && digits >= 4 && text[digits] == ' ');
}

PerfReader::PerfReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "perf-script") {
    comments_ = sink().skips("comment lines", "perf's own");
    blanks_ = sink().skips("blank lines", "nothing on them");
    chains_ = sink().skips("lines of call chains", "no events");
    calls_ = sink().skips("system calls", "they say which pages the flushes are about");
    others_ = sink().skips("other events", "nothing here follows from them");
    empty_ = sink().skips("flushes of no page", "the pages were flushed before");
    switches_ = sink().skips("flushes on a task switch", "the switch itself is in the trace");
    again_ = sink().skips("local flushes", "part of a shootdown that is counted already");
    received_ = sink().skips("remote shootdowns", "counted with the one that sent them");
    lonely_ = sink().skips("sent shootdowns", "the trace has no vCPU that receives them");
    symbols_ = sink().skips("page faults", "their address is a symbol, not a number");
    losses_ = sink().skips("lines about lost events", "the tracer's buffer was full");
    nowhere_ = sink().skips("page-faults", "their address is not in the trace: perf record -d");
}

void PerfReader::read(LineScanner& line, ImportSink& sink) {
    const auto event = parse_perf_event(line.line());
    if (!event) {
        line.skip_blanks();
        if (line.at_end()) return sink.skip(blanks_);
        if (is_loss(line.rest())) return sink.skip(losses_);
        if (line.peek() == '#' || is_tracer_line(line.rest())) return sink.skip(comments_);
        if (line.rest().find("PERF_RECORD_") != std::string_view::npos) return sink.skip(others_);
        if (is_beside(line.line())) return sink.skip(chains_);
        line.reject("not an event", kForm);
    }
    if (const auto process = event->process ? event->process : event->thread)
        sink.process(*process);
    if (event->thread) sink.thread(*event->thread);
    if (event->cpu) {
        if (*event->cpu > ImportSink::kLastCpu) line.reject("no such CPU", "at most 8191");
        sink.cpu(*event->cpu);
    }
    if (event->ns) sink.time(*event->ns);
    if (open_ && sink.waiting() > kMostWaiting) close(sink);
    if (event->name == "tlb_flush") return flush(line, *event, sink);
    if (sent_ && sent_->thread == event->thread_or_0()) sent_.reset();
    if (open_ && open_->vcpu == sink.vcpu()) close(sink);
    if (event->name.starts_with("page_fault_")) return page_fault(line, *event, sink);
    if (is_counted_fault(*event)) return counted_fault(line, *event, sink);
    sink.skip(ranges_.system_call(*event) ? calls_ : others_);
}

void PerfReader::finish(ImportSink& sink) {
    if (open_) close(sink);
    const std::uint64_t all = known_ + unknown_ + whole_;
    if (sink.report().threads == 0 && all != 0)
        sink.note(
            "the trace names no threads: flushes were matched with system calls and faults as if "
            "there were one");
    if (all != 0)
        sink.note("of " + std::to_string(all) + " flushes " + std::to_string(known_) +
                  " are of known pages (" + std::to_string(copied_) +
                  " of a page that a write fault copied, the others of a system call's), " +
                  std::to_string(whole_) + " of a whole address space, and " +
                  std::to_string(unknown_) + " of pages that the trace does not name, put at " +
                  "0x10000");
}

void PerfReader::page_fault(LineScanner& line, const PerfEvent& event, ImportSink& sink) {
    const auto text = event.field("address");
    if (!text) line.reject_at(event.name_at, "no address", "'address=0x7f1234'");
    line.go_to(place_of(*text, line.line()));
    if (kHexDigits.find(line.peek()) == std::string_view::npos) return sink.skip(symbols_);
    const std::uint64_t va = line.hexadecimal("an address");
    if (!line.at_end() && line.peek() != ' ' && line.peek() != ',') return sink.skip(symbols_);
    const auto code_text = event.field("error_code");
    if (!code_text) line.reject_at(event.name_at, "no error code", "'error_code=0x4'");
    line.go_to(place_of(*code_text, line.line()));
    const std::uint64_t code = line.hexadecimal("an error code");
    const AccessKind kind = (code & kInstruction) != 0 ? AccessKind::kFetch
                            : (code & kWrite) != 0     ? AccessKind::kStore
                                                       : AccessKind::kLoad;
    if (event.name == "page_fault_kernel") {
        sink.kernel_access(kind, va, 0);
        return;
    }
    if ((code & kPresent) != 0 && (code & kWrite) != 0)
        ranges_.write_fault(event.thread_or_0(), va);
    else
        ranges_.fault(event.thread_or_0());
    sink.access(kind, va, 0);
}

void PerfReader::counted_fault(LineScanner& line, const PerfEvent& event, ImportSink& sink) {
    if (!has_address(event.fields)) return sink.skip(nowhere_);
    if (!std::exchange(counted_, true))
        sink.note("events page-faults do not say how a page was accessed: loads were assumed");
    if (is_hexadecimal(event.fields) && !std::exchange(alone_, true))
        sink.note(
            "where page-faults have one number and no symbol, it was taken for the address of the "
            "fault, as of perf script -F addr");
    line.go_to(place_of(event.fields, line.line()));
    ranges_.fault(event.thread_or_0());
    sink.access(AccessKind::kLoad, line.hexadecimal("an address"), 0);
}

void PerfReader::flush(LineScanner& line, const PerfEvent& event, ImportSink& sink) {
    const std::uint64_t pages = read_pages(line, event);
    const Reason reason = reason_of(event.fields);
    if (reason == Reason::kUnknown)
        line.reject_at(event.name_at, "no reason that is known",
                       "'reason:local MM shootdown (3)' or another of Linux");
    const bool is_rest = reason == Reason::kLocal || reason == Reason::kLocalMm;
    if (open_ && open_->vcpu == sink.vcpu() && (!is_rest || open_->pages != pages)) close(sink);
    if (pages == 0 || reason == Reason::kWrongCpu) return sink.skip(empty_);
    switch (reason) {
        case Reason::kTaskSwitch:
            if (sink.options().spaces_from == SpacesFrom::kProcess) return sink.skip(switches_);
            sink.operation(MovCr3{});
            break;
        case Reason::kSend:
            send(event, pages, sink);
            break;
        case Reason::kRemote:
            receive(pages, sink);
            break;
        default:
            if (sent_ && sent_->thread == event.thread_or_0() && sent_->pages == pages)
                return sink.skip(again_);
            flush_here(range_of(event, pages), Told::kByItself, sink);
    }
}

// The local part of a shootdown is about the same pages.
PerfRanges::Range PerfReader::range_of(const PerfEvent& event, std::uint64_t pages) {
    if (open_ && open_->thread == event.thread_or_0() && open_->pages == pages) return open_->range;
    const PerfRanges::Range range = pages == kAll ? ranges_.flushed_all(event.thread_or_0())
                                                  : ranges_.flushed(event.thread_or_0(), pages);
    count(range);
    return range;
}

void PerfReader::count(const PerfRanges::Range& range) {
    if (range.pages == PerfRanges::kAllPages) {
        ++whole_;
    } else if (range.source == PerfRanges::Source::kUnknown) {
        ++unknown_;
    } else {
        ++known_;
        if (range.source == PerfRanges::Source::kCopiedPage) ++copied_;
    }
}

void PerfReader::flush_here(const PerfRanges::Range& range, Told told, ImportSink& sink) {
    sink.operation(FlushRange{{VirtAddr(range.va), range.pages}, told == Told::kByOther});
}

// Where all run on one vCPU, the parts of a shootdown are one flush of that vCPU.
void PerfReader::send(const PerfEvent& event, std::uint64_t pages, ImportSink& sink) {
    if (open_) close(sink);
    const PerfRanges::Range range = range_of(event, pages);
    if (sink.options().cpus_from == CpusFrom::kNothing) {
        sent_ = Sent{event.thread_or_0(), pages};
        return flush_here(range, Told::kByItself, sink);
    }
    open_ = Sending{range, pages, event.thread_or_0(), sink.vcpu(), {}};
    sink.hold();
}

void PerfReader::receive(std::uint64_t pages, ImportSink& sink) {
    const std::uint32_t vcpu = sink.vcpu();
    if (open_ && open_->pages == pages && open_->vcpu != vcpu) {
        std::vector<std::uint32_t>& receivers = open_->receivers;
        if (std::find(receivers.begin(), receivers.end(), vcpu) == receivers.end()) {
            receivers.push_back(vcpu);
            return sink.skip(received_);
        }
    }
    if (sent_ && sent_->pages == pages) return sink.skip(received_);
    PerfRanges::Range range{PerfRanges::kUnknownAt, pages, PerfRanges::Source::kUnknown};
    if (pages == kAll) range = {0, PerfRanges::kAllPages, PerfRanges::Source::kUnknown};
    count(range);
    flush_here(range, Told::kByOther, sink);
}

void PerfReader::close(ImportSink& sink) {
    if (open_->receivers.empty()) {
        sink.skip(lonely_);
        sink.fill(std::nullopt);
    } else {
        std::sort(open_->receivers.begin(), open_->receivers.end());
        sink.fill(Shootdown{{VirtAddr(open_->range.va), open_->range.pages},
                            std::move(open_->receivers)});
    }
    open_.reset();
}

}  // namespace nestwalk
