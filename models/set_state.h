#pragma once

// Replacement state of one set that fits into one word, and what uses and victims make of it. Plain
// functions of the word, so that whoever replaces in bulk does it as whoever replaces one at a
// time.

#include <cstdint>

namespace nestwalk {

/// True LRU of up to 16 ways: their numbers, four bits each, the most recently used lowest.
struct LruState {
    static constexpr std::uint32_t kMostWays = 16;

    static constexpr std::uint64_t initial(std::uint32_t ways) {
        constexpr std::uint64_t kInOrder = 0xfedc'ba98'7654'3210;
        return ways == kMostWays ? kInOrder : kInOrder & ((std::uint64_t{1} << 4 * ways) - 1);
    }
    static constexpr std::uint64_t used(std::uint64_t state, std::uint32_t way) {
        constexpr std::uint64_t kOnes = 0x1111'1111'1111'1111;
        // The digit that is the way is 0 in `other`; the borrow marks the lowest 0 digit rightly.
        const std::uint64_t other = state ^ (way * kOnes);
        const std::uint64_t zero = (other - kOnes) & ~other & (kOnes << 3);
        const std::uint64_t below = (((zero & (~zero + 1)) >> 3) - 1);
        const std::uint64_t through = below << 4 | 0xf;
        return (state & ~through) | (state & below) << 4 | way;
    }
    static constexpr std::uint32_t victim(std::uint64_t state, std::uint32_t ways) {
        return static_cast<std::uint32_t>(state >> 4 * (ways - 1)) & 0xf;
    }
};

/// What a use of each way clears and sets in the state, for policies that are nothing else.
struct UseMasks {
    std::uint64_t clear{};
    std::uint64_t set{};

    constexpr std::uint64_t apply(std::uint64_t state) const { return (state & ~clear) | set; }
};

/// Tree-PLRU of up to 64 ways, a power of two: bit n is node n, whose children are 2n+1 and 2n+2. A
/// node is the side to replace next, 0 left, 1 right; a use makes each node on its way point to the
/// other one.
struct TreeState {
    static constexpr std::uint32_t kMostWays = 64;

    static constexpr UseMasks masks(std::uint32_t ways, std::uint32_t way) {
        UseMasks masks;
        std::uint32_t node = 0;
        for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
            const bool right = (way & half) != 0;
            masks.clear |= std::uint64_t{1} << node;
            if (!right) masks.set |= std::uint64_t{1} << node;
            node = 2 * node + (right ? 2 : 1);
        }
        return masks;
    }
    static constexpr std::uint32_t victim(std::uint64_t state, std::uint32_t ways) {
        std::uint32_t node = 0;
        std::uint32_t way = 0;
        for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
            const auto right = static_cast<std::uint32_t>(state >> node & 1);
            way = 2 * way + right;
            node = 2 * node + 1 + right;
        }
        return way;
    }
};

/// (MRU+1)%3-PLRU4 of 12 ways: two bits name the subtree used last, then three for the tree of
/// each.
struct Mru3State {
    static constexpr std::uint32_t kSubtrees = 3;
    static constexpr std::uint32_t kSubtreeWays = 4;
    static constexpr std::uint32_t kSubtreeNodes = kSubtreeWays - 1;
    static constexpr std::uint64_t kRoot = 3;

    static constexpr std::uint32_t first_node(std::uint32_t subtree) {
        return 2 + kSubtreeNodes * subtree;
    }
    static constexpr UseMasks masks(std::uint32_t way) {
        const std::uint32_t subtree = way / kSubtreeWays;
        const UseMasks below = TreeState::masks(kSubtreeWays, way % kSubtreeWays);
        const std::uint32_t shift = first_node(subtree);
        return {kRoot | below.clear << shift, subtree | below.set << shift};
    }
    static constexpr std::uint32_t victim(std::uint64_t state) {
        const auto last = static_cast<std::uint32_t>(state & kRoot);
        const std::uint32_t subtree = last == kSubtrees - 1 ? 0 : last + 1;
        return kSubtreeWays * subtree +
               TreeState::victim(state >> first_node(subtree), kSubtreeWays);
    }
};

}  // namespace nestwalk
