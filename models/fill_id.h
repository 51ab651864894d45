#pragma once

// When an entry or a cache line was put where it was found, as far as models without a clock can
// say.

#include <cstdint>

namespace nestwalk {

/// Which access put an entry or a line where it was found, and when in that access: its sequence
/// number and how many entries its walk had read by then. Engines with a clock make a hit wait for
/// the fill. 0: nothing to wait for.
struct FillId {
    std::uint64_t value{};

    static constexpr int kReadBits = 8;
    /// A line of the access's own data, which comes after the walk.
    static constexpr std::uint64_t kData = (1u << kReadBits) - 1;

    static constexpr FillId of(std::uint64_t sequence, std::uint64_t reads) {
        return {sequence << kReadBits | (reads < kData ? reads : kData - 1)};
    }
    static constexpr FillId of_data(std::uint64_t sequence) {
        return {sequence << kReadBits | kData};
    }
    constexpr std::uint64_t sequence() const { return value >> kReadBits; }
    constexpr std::uint64_t reads() const { return value & kData; }
    constexpr bool operator==(const FillId&) const = default;
};

/// The accesses of a vCPU whose fills may still be under way: sequence numbers from `first` to the
/// last so far.
struct FillWindow {
    std::uint64_t first{};
    std::uint64_t last{};

    constexpr bool holds(FillId fill) const { return fill.sequence() >= first; }
};

/// True if two fills, each seen from the end of its own window, are over or are equally long ago.
constexpr bool same_age(FillId one, FillWindow window, FillId other, FillWindow other_window) {
    if (!window.holds(one) && !other_window.holds(other)) return true;
    return window.holds(one) && other_window.holds(other) && one.reads() == other.reads() &&
           window.last - one.sequence() == other_window.last - other.sequence();
}

}  // namespace nestwalk
