#pragma once

// One line of `perf script` (or of trace-cmd and the kernel's own trace file, which differ in the
// order of its head): who, where, when, which event, and its fields.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nestwalk {

struct PerfEvent {
    std::optional<std::uint64_t> process{};
    std::optional<std::uint64_t> thread{};
    std::optional<std::uint64_t> cpu{};
    std::optional<std::uint64_t> ns{};  ///< since boot
    std::string_view name{};            ///< without its subsystem: "tlb_flush"
    std::size_t name_at{};              ///< where in the line
    std::string_view fields{};          ///< what is behind the name

    /// The same 0 for all events of a trace that names no threads.
    std::uint64_t thread_or_0() const { return thread.value_or(0); }
    /// The text of the field `name: VALUE` or `name=VALUE`, up to the next comma or blank.
    std::optional<std::string_view> field(std::string_view name) const;
};

/// Nothing if the line is no event.
std::optional<PerfEvent> parse_perf_event(std::string_view line);

}  // namespace nestwalk
