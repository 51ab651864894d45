#pragma once

// Random numbers that are the same on every machine: integers only, and nothing of the standard
// library's distributions, which differ from one to the next.

#include "models/digest.h"

#include <cstdint>

namespace nestwalk {

/// The high half of the product.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a_low = a & 0xffff'ffff;
    const std::uint64_t b_low = b & 0xffff'ffff;
    const std::uint64_t middle = (a >> 32) * b_low + (a_low * b_low >> 32);
    const std::uint64_t other = a_low * (b >> 32) + (middle & 0xffff'ffff);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

/// SplitMix64.
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        const std::uint64_t number = mix(state_);
        state_ += 0x9e37'79b9'7f4a'7c15;
        return number;
    }

    /// Below `limit`, which is not 0, each number as often as the others (Lemire, "Fast Random
    /// Integer Generation in an Interval").
    std::uint64_t below(std::uint64_t limit) {
        for (;;) {
            const std::uint64_t number = next();
            if (number * limit >= limit || number * limit >= (0 - limit) % limit)
                return multiply_high(number, limit);
        }
    }

    /// Above 0 and at most 1, in steps of 2^-53.
    double fraction() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

private:
    std::uint64_t state_;
};

}  // namespace nestwalk
