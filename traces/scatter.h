#pragma once

// The numbers below a limit in a random order, which is not kept but computed: a few rounds of
// mixing that are a permutation of a power of two, walked until a number is below the limit.

#include "models/digest.h"

#include <bit>
#include <cstdint>

namespace nestwalk {

class Scatter {
public:
    /// `limit` is 1 to 2^62.
    Scatter(std::uint64_t limit, std::uint64_t seed)
        : limit_(limit),
          bits_(limit > 2 ? static_cast<int>(std::bit_width(limit - 1)) : 1),
          mask_((std::uint64_t{1} << bits_) - 1),
          offset_(mix(seed, 1)),
          factor_(mix(seed, 2) | 1),
          last_factor_(mix(seed, 3) | 1) {}

    /// Where number `number`, which is below the limit, is in that order.
    std::uint64_t place_of(std::uint64_t number) const {
        do {
            number = permuted(number);
        } while (number >= limit_);
        return number;
    }

private:
    /// A sum, odd products and exclusive ors with what stands higher: each can be undone.
    std::uint64_t permuted(std::uint64_t number) const {
        const int half = (bits_ + 1) / 2;
        number = (number + offset_) & mask_;
        number = ((number ^ number >> half) * factor_) & mask_;
        number = ((number ^ number >> half) * last_factor_) & mask_;
        return number ^ number >> half;
    }

    std::uint64_t limit_;
    int bits_;
    std::uint64_t mask_;
    std::uint64_t offset_;
    std::uint64_t factor_;
    std::uint64_t last_factor_;
};

}  // namespace nestwalk
