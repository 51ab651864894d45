#pragma once

// Replacement state of a set-associative array. State is canonical: recency is a rank and not a
// time, so an array that has come back to an earlier state compares equal to it.

#include "models/digest.h"
#include "models/machine.h"

#include <cstdint>
#include <vector>

namespace nestwalk {

class Replacement {
public:
    /// tree-PLRU needs a power of two ways, (MRU+1)%3-PLRU4 needs 12.
    Replacement(ReplacementPolicy policy, std::uint32_t sets, std::uint32_t ways,
                std::uint64_t seed);

    void hit(std::uint32_t set, std::uint32_t way);
    void fill(std::uint32_t set, std::uint32_t way);
    /// The way to replace among `[first, first + count)`, all of which hold entries.
    std::uint32_t victim(std::uint32_t set, WayRange allowed);

    std::uint64_t digest(std::uint32_t set) const;
    /// Of what belongs to no set: where the random numbers are.
    std::uint64_t common_digest() const { return mix(random_); }
    bool operator==(const Replacement&) const = default;

private:
    std::uint8_t* state_of(std::uint32_t set) { return state_.data() + std::size_t{set} * stride_; }
    void make_most_recent(std::uint8_t* ranks, std::uint32_t way) const;

    ReplacementPolicy policy_;
    std::uint32_t ways_;
    std::uint32_t stride_;
    std::vector<std::uint8_t> state_;
    std::uint64_t random_;
};

}  // namespace nestwalk
