#include "traces/perf_ranges.h"

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
};
constexpr std::array kCalls{Call{"munmap", "addr", "len"},        Call{"mprotect", "start", "len"},
                            Call{"madvise", "start", "len_in"},   Call{"mremap", "addr", "old_len"},
                            Call{"mmap", "addr", "len"},          Call{"brk", "brk", ""},
                            Call{"pkey_mprotect", "start", "len"}};

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

}  // namespace

bool PerfRanges::system_call(const PerfEvent& event) {
    std::string_view call = event.name;
    const bool enters = call.starts_with("sys_enter_");
    if (!enters && !call.starts_with("sys_exit_")) return false;
    call.remove_prefix(call.find('_', 4) + 1);
    const bool known = std::any_of(kCalls.begin(), kCalls.end(),
                                   [&](const Call& row) { return row.name == call; });
    if (!known) return false;
    if (enters) {
        enter(event, call);
    } else {
        threads_[event.thread_or_0()].source = Source::kUnknown;
    }
    return true;
}

void PerfRanges::enter(const PerfEvent& event, std::string_view call) {
    const Call& row = *std::find_if(kCalls.begin(), kCalls.end(),
                                    [&](const Call& each) { return each.name == call; });
    Pending& pending = threads_[event.thread_or_0()];
    pending.source = Source::kUnknown;
    std::optional<std::uint64_t> start = number(event.field(row.start));
    std::optional<std::uint64_t> length = number(event.field(row.length));
    if (call == "brk") {
        const std::uint64_t before = pending.program_break;
        if (!start || *start == 0) return;
        pending.program_break = *start;
        if (before <= *start) return;
        length = before - *start;
    }
    if (call == "mmap" && (number(event.field("flags")).value_or(0) & kMapFixed) == 0) return;
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
