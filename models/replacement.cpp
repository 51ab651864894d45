#include "models/replacement.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr std::uint8_t kSrripDistant = 3;
constexpr std::uint8_t kSrripLong = 2;

bool overlaps(WayRange range, std::uint32_t first, std::uint32_t count) {
    return range.first < first + count && first < range.first + range.count;
}

/// Where the tree points, or turns where the range has no way on that side.
template <typename PointsRight>
std::uint32_t pointed_to(std::uint32_t ways, std::uint32_t first_way, WayRange allowed,
                         const PointsRight& points_right) {
    std::uint32_t node = 0;
    std::uint32_t first = first_way;
    for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
        bool right = points_right(node);
        if (!overlaps(allowed, right ? first + half : first, half)) right = !right;
        node = 2 * node + (right ? 2 : 1);
        if (right) first += half;
    }
    return first;
}

/// As TreeState, a byte a node.
void point_away(std::uint8_t* nodes, std::uint32_t ways, std::uint32_t way) {
    std::uint32_t node = 0;
    for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
        const bool right = (way & half) != 0;
        nodes[node] = right ? 0 : 1;
        node = 2 * node + (right ? 2 : 1);
    }
}

bool fits_a_word(ReplacementPolicy policy, std::uint32_t ways) {
    switch (policy) {
        case ReplacementPolicy::kTrueLru:
            return ways <= LruState::kMostWays;
        case ReplacementPolicy::kTreePlru:
            return ways <= TreeState::kMostWays;
        case ReplacementPolicy::kMru3Plru4:
            return true;
        case ReplacementPolicy::kNru:
        case ReplacementPolicy::kSrrip:
        case ReplacementPolicy::kRandom:
            return false;
    }
    return false;
}

std::uint32_t bytes_a_set(ReplacementPolicy policy, std::uint32_t ways) {
    if (policy == ReplacementPolicy::kRandom) return 0;
    return policy == ReplacementPolicy::kTreePlru ? ways - 1 : ways;
}

std::uint32_t nru_victim(std::uint8_t* used, WayRange allowed) {
    const std::uint32_t end = allowed.first + allowed.count;
    for (std::uint32_t way = allowed.first; way < end; ++way) {
        if (used[way] == 0) return way;
    }
    std::fill(used + allowed.first, used + end, std::uint8_t{0});
    return allowed.first;
}

std::uint32_t srrip_victim(std::uint8_t* distance, WayRange allowed) {
    const std::uint32_t end = allowed.first + allowed.count;
    for (;;) {
        for (std::uint32_t way = allowed.first; way < end; ++way) {
            if (distance[way] == kSrripDistant) return way;
        }
        for (std::uint32_t way = allowed.first; way < end; ++way) ++distance[way];
    }
}

std::uint32_t lru_victim(std::uint64_t order, std::uint32_t ways, WayRange allowed) {
    for (std::uint32_t age = ways - 1;; --age) {
        const auto way = static_cast<std::uint32_t>(order >> 4 * age) & 0xf;
        if (overlaps(allowed, way, 1)) return way;
    }
}

// The root names the subtree used last; the victim is in the one after it.
std::uint32_t mru3_victim(std::uint64_t word, WayRange allowed) {
    for (std::uint64_t step = 1;; ++step) {
        const auto subtree =
            static_cast<std::uint32_t>(((word & Mru3State::kRoot) + step) % Mru3State::kSubtrees);
        const std::uint32_t first = subtree * Mru3State::kSubtreeWays;
        if (!overlaps(allowed, first, Mru3State::kSubtreeWays)) continue;
        const std::uint64_t nodes = word >> Mru3State::first_node(subtree);
        return pointed_to(Mru3State::kSubtreeWays, first, allowed,
                          [&](std::uint32_t node) { return (nodes >> node & 1) != 0; });
    }
}

}  // namespace

Replacement::Replacement(ReplacementPolicy policy, std::uint32_t sets, std::uint32_t ways,
                         std::uint64_t seed)
    : policy_(policy), ways_(ways), random_(seed) {
    if (fits_a_word(policy, ways)) {
        const bool lru = policy == ReplacementPolicy::kTrueLru;
        words_.assign(sets, lru ? LruState::initial(ways) : 0);
        for (std::uint32_t way = 0; !lru && way < ways; ++way) {
            masks_.push_back(policy == ReplacementPolicy::kTreePlru ? TreeState::masks(ways, way)
                                                                    : Mru3State::masks(way));
        }
        return;
    }
    if (policy == ReplacementPolicy::kTrueLru) {
        stamps_ = UseStamps(sets, ways);
        return;
    }
    stride_ = bytes_a_set(policy, ways);
    const bool srrip = policy == ReplacementPolicy::kSrrip;
    bytes_.assign(std::size_t{sets} * stride_, srrip ? kSrripDistant : std::uint8_t{0});
}

void Replacement::hit_bytes(std::uint32_t set, std::uint32_t way) {
    std::uint8_t* state = bytes_of(set);
    switch (policy_) {
        case ReplacementPolicy::kTreePlru:
            point_away(state, ways_, way);
            break;
        case ReplacementPolicy::kNru:
            state[way] = 1;
            if (std::all_of(state, state + ways_, [](std::uint8_t used) { return used != 0; })) {
                std::fill(state, state + ways_, std::uint8_t{0});
                state[way] = 1;
            }
            break;
        case ReplacementPolicy::kSrrip:
            state[way] = 0;
            break;
        case ReplacementPolicy::kTrueLru:
        case ReplacementPolicy::kMru3Plru4:
        case ReplacementPolicy::kRandom:
            break;
    }
}

void Replacement::fill(std::uint32_t set, std::uint32_t way) {
    if (policy_ == ReplacementPolicy::kSrrip) {
        bytes_of(set)[way] = kSrripLong;
    } else {
        hit(set, way);
    }
}

std::uint32_t Replacement::victim(std::uint32_t set, WayRange allowed) {
    if (policy_ == ReplacementPolicy::kRandom) {
        random_ = mix(random_);
        return allowed.first + static_cast<std::uint32_t>(random_ % allowed.count);
    }
    if (!words_.empty()) return victim_by_word(words_[set], allowed);
    return stamps_.empty() ? victim_by_bytes(bytes_of(set), allowed) : stamps_.victim(set, allowed);
}

std::uint32_t Replacement::victim_by_word(std::uint64_t word, WayRange allowed) const {
    if (policy_ == ReplacementPolicy::kTrueLru) return lru_victim(word, ways_, allowed);
    if (policy_ == ReplacementPolicy::kMru3Plru4) return mru3_victim(word, allowed);
    return pointed_to(ways_, 0, allowed,
                      [&](std::uint32_t node) { return (word >> node & 1) != 0; });
}

std::uint32_t Replacement::victim_by_bytes(std::uint8_t* state, WayRange allowed) const {
    if (policy_ == ReplacementPolicy::kNru) return nru_victim(state, allowed);
    if (policy_ == ReplacementPolicy::kSrrip) return srrip_victim(state, allowed);
    return pointed_to(ways_, 0, allowed, [&](std::uint32_t node) { return state[node] != 0; });
}

std::uint64_t Replacement::digest(std::uint32_t set) const {
    if (!words_.empty()) return mix(words_[set]);
    std::uint64_t digest = 0;
    for (std::uint32_t way = 0; !stamps_.empty() && way < ways_; ++way) {
        digest = digest * 0x100'0000'01b3 + stamps_.age(set, way);
    }
    const std::uint8_t* state = bytes_.data() + std::size_t{set} * stride_;
    for (std::uint32_t at = 0; at < stride_; ++at) digest = digest * 0x100'0000'01b3 + state[at];
    return mix(digest);
}

}  // namespace nestwalk
