#include "traces/perf_ranges.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace nestwalk {
namespace {

constexpr std::uint64_t kPage = 4096;
/// MAP_FIXED: what was mapped there before is unmapped.
constexpr std::uint64_t kMapFixed = 0x10;

/// The system calls that change mappings, and what their range is called.
struct Call {
    std::string_view name;
    std::string_view start;
    std::string_view length;
    std::uint64_t number;  ///< on x86-64
};
constexpr std::array kCalls{Call{"munmap", "addr", "len", 11},
                            Call{"mprotect", "start", "len", 10},
                            Call{"madvise", "start", "len_in", 28},
                            Call{"mremap", "addr", "old_len", 25},
                            Call{"mmap", "addr", "len", 9},
                            Call{"brk", "brk", "", 12},
                            Call{"pkey_mprotect", "start", "len", 329}};

const Call* call_named(std::string_view name) {
    const auto found = std::find_if(kCalls.begin(), kCalls.end(),
                                    [&](const Call& row) { return row.name == name; });
    return found == kCalls.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> number(std::optional<std::string_view> text) {
    if (!text) return std::nullopt;
    const bool prefixed = text->starts_with("0x");
    std::uint64_t value = 0;
    const char* const from = text->data() + (prefixed ? 2 : 0);
    const char* const end = text->data() + text->size();
    const auto [to, error] = std::from_chars(from, end, value, 16);
    if (error != std::errc{} || to != end) return std::nullopt;
    return value;
}

// Raw system calls: "NR 11 (7f0000, 2000, 0, 0, 0, 0)" and "NR 11 = 0".
const Call* call_numbered(std::string_view fields) {
    if (!fields.starts_with("NR ")) return nullptr;
    fields.remove_prefix(3);
    std::uint64_t value = 0;
    std::from_chars(fields.data(), fields.data() + fields.size(), value);
    const auto found = std::find_if(kCalls.begin(), kCalls.end(),
                                    [&](const Call& row) { return row.number == value; });
    return found == kCalls.end() ? nullptr : &*found;
}

// The argument of a raw system call, from 0.
std::optional<std::uint64_t> argument(std::string_view fields, std::size_t index) {
    std::size_t from = fields.find('(');
    for (std::size_t i = 0; i < index && from != std::string_view::npos; ++i)
        from = fields.find(',', from + 1);
    if (from == std::string_view::npos) return std::nullopt;
    fields = without_blanks(fields.substr(from + 1));
    return number(fields.substr(0, fields.find_first_of(",) ")));
}

}  // namespace

bool PerfRanges::system_call(const PerfEvent& event) {
    std::string_view name = event.name;
    if (!name.starts_with("sys_")) return false;
    // "sys_enter_munmap" and "sys_exit_munmap"; "sys_enter" and "sys_exit" of raw system calls;
    // "sys_munmap(" and "sys_munmap ->" of the kernel's own trace file.
    name.remove_prefix(4);
    const bool raw = name == "enter" || name == "exit";
    const bool enters = name.starts_with("enter") || event.fields.starts_with('(');
    if (name.starts_with("enter_") || name.starts_with("exit_"))
        name.remove_prefix(name.find('_') + 1);
    const Call* const call = raw ? call_numbered(event.fields) : call_named(name);
    if (call == nullptr) return false;
    Pending& pending = threads_[event.thread_or_0()];
    pending.source = Source::kUnknown;
    if (!enters) return true;
    enter(pending, call->name,
          {.start = raw ? argument(event.fields, 0) : number(event.field(call->start)),
           .length = raw ? argument(event.fields, 1) : number(event.field(call->length)),
           .flags = raw ? argument(event.fields, 3) : number(event.field("flags"))});
    return true;
}

void PerfRanges::enter(Pending& pending, std::string_view call, const Arguments& arguments) {
    std::optional<std::uint64_t> start = arguments.start;
    std::optional<std::uint64_t> length = arguments.length;
    if (call == "brk") {
        const std::uint64_t before = pending.program_break;
        if (!start || *start == 0) return;
        pending.program_break = *start;
        if (before <= *start) return;
        length = before - *start;
    }
    if (call == "mmap" && (arguments.flags.value_or(0) & kMapFixed) == 0) return;
    if (!start || !length || *length == 0 || *start >= kPage * kAllPages) return;
    const std::uint64_t last = *start + std::min(*length, kPage * kAllPages - *start) - 1;
    pending.va = *start & ~(kPage - 1);
    pending.pages = last / kPage - pending.va / kPage + 1;
    pending.source = Source::kSystemCall;
}

// Where user code faults, no system call is under way.
void PerfRanges::fault(std::uint64_t thread) { threads_[thread].source = Source::kUnknown; }

void PerfRanges::write_fault(std::uint64_t thread, std::uint64_t va) {
    Pending& pending = threads_[thread];
    pending.source = Source::kCopiedPage;
    pending.va = va & ~(kPage - 1);
    pending.pages = 1;
}

PerfRanges::Range PerfRanges::flushed(std::uint64_t thread, std::uint64_t pages) {
    Pending& pending = threads_[thread];
    if (pending.source == Source::kUnknown || pages > pending.pages)
        return {kUnknownAt, pages, Source::kUnknown};
    const Range range{pending.va, pages, pending.source};
    // A long range is flushed in parts, each where the one before ended.
    pending.va += pages * kPage;
    pending.pages -= pages;
    if (pending.pages == 0) pending.source = Source::kUnknown;
    return range;
}

PerfRanges::Range PerfRanges::flushed_all(std::uint64_t thread) {
    Pending& pending = threads_[thread];
    if (pending.source != Source::kSystemCall) return {0, kAllPages, Source::kUnknown};
    pending.source = Source::kUnknown;
    return {pending.va, pending.pages, Source::kSystemCall};
}

}  // namespace nestwalk
