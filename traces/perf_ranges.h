#pragma once

// Which addresses a TLB flush of Linux was about. The tracepoint tlb:tlb_flush says how many pages,
// not which: they are those of the system call that the thread is in, or the page whose copy a
// write fault has just made.

#include "traces/perf_event.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace nestwalk {

class PerfRanges {
public:
    /// Where the addresses of a flush come from.
    enum class Source : std::uint8_t { kSystemCall, kCopiedPage, kUnknown };

    struct Range {
        std::uint64_t va{};
        std::uint64_t pages{};
        Source source{};
    };

    /// What flushes of unknown pages are said to be about: the lowest page that Linux lets programs
    /// map (vm.mmap_min_addr), which hardly any does.
    static constexpr std::uint64_t kUnknownAt = 0x10000;
    /// A whole address space of users.
    static constexpr std::uint64_t kAllPages = std::uint64_t{1} << 35;

    /// Whether the event enters or leaves a system call that changes mappings; then it is
    /// remembered, and done with.
    bool system_call(const PerfEvent& event);
    /// The thread had a page fault in user code.
    void fault(std::uint64_t thread);
    /// The same for a write to a page that was there: it is copied, and the old one flushed.
    void write_fault(std::uint64_t thread, std::uint64_t va);

    /// The addresses of a flush of so many pages by the thread.
    Range flushed(std::uint64_t thread, std::uint64_t pages);
    /// The addresses of a flush of everything; where a system call has a range, that range.
    Range flushed_all(std::uint64_t thread);

private:
    struct Pending {
        std::uint64_t va{};
        std::uint64_t pages{};
        Source source{Source::kUnknown};
        std::uint64_t program_break{};
    };

    /// Of a system call, as far as they are known.
    struct Arguments {
        std::optional<std::uint64_t> start{};
        std::optional<std::uint64_t> length{};
        std::optional<std::uint64_t> flags{};
    };

    void enter(Pending& pending, std::string_view call, const Arguments& arguments);

    std::unordered_map<std::uint64_t, Pending> threads_{};
};

}  // namespace nestwalk
