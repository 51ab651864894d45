#pragma once

// Reads the events of Linux that `perf script` prints: TLB flushes, page faults, and system calls
// that change mappings, which say which pages the flushes are about. A fault becomes the access
// that faulted, a flush what the operating system of the experiment makes of it. Nothing is said
// about accesses that did not fault.

#include "traces/foreign_text_reader.h"
#include "traces/perf_event.h"
#include "traces/perf_ranges.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nestwalk {

class PerfReader final : public ForeignTextReader {
public:
    PerfReader(LineReader lines, const ImportOptions& options);

    /// True for an event.
    static bool recognises(std::string_view line);
    /// True for any other event, a comment, a call chain, or what trace-cmd prints beside.
    static bool is_beside(std::string_view line);
    /// True for an event that has a meaning here.
    static bool is_used(const PerfEvent& event);

private:
    /// A shootdown whose receivers are still to come.
    struct Sending {
        PerfRanges::Range range{};
        std::uint64_t pages{};  ///< as the event says them
        std::uint64_t thread{};
        std::uint32_t vcpu{};
        std::vector<std::uint32_t> receivers{};
    };
    /// A shootdown that is done with; other events may say it again.
    struct Sent {
        std::uint64_t thread{};
        std::uint64_t pages{};
    };
    /// Who told the vCPU to flush.
    enum class Told : std::uint8_t { kByItself, kByOther };

    void read(LineScanner& line, ImportSink& sink) override;
    void finish(ImportSink& sink) override;
    void page_fault(LineScanner& line, const PerfEvent& event, ImportSink& sink);
    void counted_fault(LineScanner& line, const PerfEvent& event, ImportSink& sink);
    void flush(LineScanner& line, const PerfEvent& event, ImportSink& sink);
    void flush_here(const PerfRanges::Range& range, Told told, ImportSink& sink);
    void send(const PerfEvent& event, std::uint64_t pages, ImportSink& sink);
    void receive(std::uint64_t pages, ImportSink& sink);
    void close(ImportSink& sink);
    void count(const PerfRanges::Range& range);
    PerfRanges::Range range_of(const PerfEvent& event, std::uint64_t pages);

    PerfRanges ranges_{};
    std::optional<Sending> open_{};  ///< where CPUs are vCPUs
    std::optional<Sent> sent_{};     ///< where all run on one
    std::uint64_t known_{};          ///< flushes whose addresses are known
    std::uint64_t copied_{};         ///< of these, of a page that a write fault copied
    std::uint64_t unknown_{};
    std::uint64_t whole_{};
    bool counted_{};  ///< a page fault of unknown kind was seen
    bool alone_{};    ///< one with a single number was seen

    std::size_t comments_{};
    std::size_t losses_{};
    std::size_t blanks_{};
    std::size_t chains_{};
    std::size_t calls_{};
    std::size_t others_{};
    std::size_t empty_{};
    std::size_t switches_{};
    std::size_t again_{};
    std::size_t received_{};
    std::size_t lonely_{};
    std::size_t symbols_{};
    std::size_t nowhere_{};
};

}  // namespace nestwalk
