#pragma once

// Time, in core cycles of the simulated processor. Fixed point: every engine and every machine
// computes the same numbers.

#include <compare>
#include <cstdint>

namespace nestwalk {

/// A time since the start or a length of time, in thousandths of a core cycle.
struct Cycles {
    std::int64_t milli{};

    static constexpr std::int64_t kScale = 1000;
    static constexpr Cycles whole(std::int64_t cycles) { return {cycles * kScale}; }

    constexpr double value() const { return static_cast<double>(milli) / kScale; }

    constexpr Cycles& operator+=(Cycles other) {
        milli += other.milli;
        return *this;
    }
    friend constexpr Cycles operator+(Cycles a, Cycles b) { return {a.milli + b.milli}; }
    friend constexpr Cycles operator-(Cycles a, Cycles b) { return {a.milli - b.milli}; }
    friend constexpr Cycles operator*(Cycles a, std::int64_t n) { return {a.milli * n}; }
    friend constexpr auto operator<=>(Cycles, Cycles) = default;
};

/// How much later than `now`, or not at all.
constexpr Cycles ahead(Cycles when, Cycles now) { return when > now ? when - now : Cycles{}; }

}  // namespace nestwalk
