#pragma once

// Replacement state of a set-associative array. State is canonical: recency is an order and not a
// time, so an array that has come back to an earlier state compares equal to it.

#include "models/digest.h"
#include "models/machine.h"
#include "models/set_state.h"
#include "models/use_stamps.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

class Replacement {
public:
    /// tree-PLRU needs a power of two ways, (MRU+1)%3-PLRU4 needs 12.
    Replacement(ReplacementPolicy policy, std::uint32_t sets, std::uint32_t ways,
                std::uint64_t seed);

    void hit(std::uint32_t set, std::uint32_t way) {
        if (words_.empty()) return hit_wide(set, way);
        std::uint64_t& word = words_[set];
        word = masks_.empty() ? LruState::used(word, way) : masks_[way].apply(word);
    }
    /// Of ways of one set, in order; fewer than 2^20.
    void hit_all(std::uint32_t set, std::span<const std::uint32_t> ways) {
        if (!stamps_.empty()) return stamps_.use_all(set, ways);
        for (const std::uint32_t way : ways) hit(set, way);
    }
    void fill(std::uint32_t set, std::uint32_t way);
    /// The way to replace among `[first, first + count)`, all of which hold entries.
    std::uint32_t victim(std::uint32_t set, WayRange allowed);

    /// For engines that replace in bulk: a word a set and, of trees, what a use of each way makes
    /// of it. Null where the state has another form.
    std::uint64_t* words() { return words_.empty() ? nullptr : words_.data(); }
    const UseMasks* uses() const { return masks_.empty() ? nullptr : masks_.data(); }
    ReplacementPolicy policy() const { return policy_; }

    std::uint64_t digest(std::uint32_t set) const;
    /// Of what belongs to no set: where the random numbers are.
    std::uint64_t common_digest() const { return mix(random_); }
    bool operator==(const Replacement& other) const {
        return policy_ == other.policy_ && ways_ == other.ways_ && words_ == other.words_ &&
               stamps_ == other.stamps_ && bytes_ == other.bytes_ && random_ == other.random_;
    }

private:
    std::uint8_t* bytes_of(std::uint32_t set) { return bytes_.data() + std::size_t{set} * stride_; }
    void hit_wide(std::uint32_t set, std::uint32_t way) {
        stamps_.empty() ? hit_bytes(set, way) : stamps_.use(set, way);
    }
    void hit_bytes(std::uint32_t set, std::uint32_t way);
    std::uint32_t victim_by_word(std::uint64_t word, WayRange allowed) const;
    std::uint32_t victim_by_bytes(std::uint8_t* state, WayRange allowed) const;

    ReplacementPolicy policy_;
    std::uint32_t ways_;
    std::vector<std::uint64_t> words_{};  ///< a set, of policies and ways in set_state.h
    std::vector<UseMasks> masks_{};       ///< a way, of those that are trees
    UseStamps stamps_{};                  ///< of true LRU with more ways
    std::uint32_t stride_{};
    std::vector<std::uint8_t> bytes_{};  ///< `stride_` a set, of all others
    std::uint64_t random_;
};

}  // namespace nestwalk
