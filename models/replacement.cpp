#include "models/replacement.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr std::uint8_t kSrripDistant = 3;
constexpr std::uint8_t kSrripLong = 2;
constexpr std::uint32_t kSubtreeWays = 4;
constexpr std::uint32_t kSubtreeNodes = kSubtreeWays - 1;

bool overlaps(WayRange range, std::uint32_t first, std::uint32_t count) {
    return range.first < first + count && first < range.first + range.count;
}

// A tree of ways - 1 nodes, node 0 the root, node n's children 2n+1 and 2n+2. A node's value is the
// side to replace next: 0 left, 1 right. A touch makes every node on the way point to the other
// side.
void point_away(std::uint8_t* nodes, std::uint32_t ways, std::uint32_t way) {
    std::uint32_t node = 0;
    std::uint32_t first = 0;
    for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
        const bool right = way >= first + half;
        nodes[node] = right ? 0 : 1;
        node = 2 * node + (right ? 2 : 1);
        if (right) first += half;
    }
}

std::uint32_t pointed_to(const std::uint8_t* nodes, std::uint32_t ways, std::uint32_t first_way,
                         WayRange allowed) {
    std::uint32_t node = 0;
    std::uint32_t first = first_way;
    for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
        bool right = nodes[node] != 0;
        if (!overlaps(allowed, right ? first + half : first, half)) right = !right;
        node = 2 * node + (right ? 2 : 1);
        if (right) first += half;
    }
    return first;
}

std::uint32_t state_bytes(ReplacementPolicy policy, std::uint32_t ways) {
    switch (policy) {
        case ReplacementPolicy::kTrueLru:
        case ReplacementPolicy::kNru:
        case ReplacementPolicy::kSrrip:
            return ways;
        case ReplacementPolicy::kTreePlru:
            return ways - 1;
        case ReplacementPolicy::kMru3Plru4:
            return 1 + (ways / kSubtreeWays) * kSubtreeNodes;
        case ReplacementPolicy::kRandom:
            return 0;
    }
    return 0;
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

std::uint32_t lru_victim(const std::uint8_t* ranks, WayRange allowed) {
    const auto* first = ranks + allowed.first;
    return static_cast<std::uint32_t>(std::max_element(first, first + allowed.count) - ranks);
}

// The root names the subtree used last; the victim is in the one after it.
std::uint32_t mru3_victim(const std::uint8_t* state, WayRange allowed) {
    for (std::uint32_t step = 1;; ++step) {
        const std::uint32_t subtree = (state[0] + step) % 3;
        const std::uint32_t first = subtree * kSubtreeWays;
        if (!overlaps(allowed, first, kSubtreeWays)) continue;
        return pointed_to(state + 1 + subtree * kSubtreeNodes, kSubtreeWays, first, allowed);
    }
}

}  // namespace

Replacement::Replacement(ReplacementPolicy policy, std::uint32_t sets, std::uint32_t ways,
                         std::uint64_t seed)
    : policy_(policy),
      ways_(ways),
      stride_(state_bytes(policy, ways)),
      state_(std::size_t{sets} * stride_),
      random_(seed) {
    for (std::size_t at = 0; at < state_.size(); ++at) {
        if (policy == ReplacementPolicy::kTrueLru)
            state_[at] = static_cast<std::uint8_t>(at % ways);
        if (policy == ReplacementPolicy::kSrrip) state_[at] = kSrripDistant;
    }
}

void Replacement::make_most_recent(std::uint8_t* ranks, std::uint32_t way) const {
    const std::uint8_t rank = ranks[way];
    for (std::uint32_t other = 0; other < ways_; ++other) {
        ranks[other] = static_cast<std::uint8_t>(ranks[other] + (ranks[other] < rank));
    }
    ranks[way] = 0;
}

void Replacement::hit(std::uint32_t set, std::uint32_t way) {
    std::uint8_t* state = state_of(set);
    switch (policy_) {
        case ReplacementPolicy::kTrueLru:
            make_most_recent(state, way);
            break;
        case ReplacementPolicy::kTreePlru:
            point_away(state, ways_, way);
            break;
        case ReplacementPolicy::kMru3Plru4:
            state[0] = static_cast<std::uint8_t>(way / kSubtreeWays);
            point_away(state + 1 + state[0] * kSubtreeNodes, kSubtreeWays, way % kSubtreeWays);
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
        case ReplacementPolicy::kRandom:
            break;
    }
}

void Replacement::fill(std::uint32_t set, std::uint32_t way) {
    if (policy_ == ReplacementPolicy::kSrrip) {
        state_of(set)[way] = kSrripLong;
    } else {
        hit(set, way);
    }
}

std::uint32_t Replacement::victim(std::uint32_t set, WayRange allowed) {
    std::uint8_t* state = state_of(set);
    switch (policy_) {
        case ReplacementPolicy::kTrueLru:
            return lru_victim(state, allowed);
        case ReplacementPolicy::kTreePlru:
            return pointed_to(state, ways_, 0, allowed);
        case ReplacementPolicy::kMru3Plru4:
            return mru3_victim(state, allowed);
        case ReplacementPolicy::kNru:
            return nru_victim(state, allowed);
        case ReplacementPolicy::kSrrip:
            return srrip_victim(state, allowed);
        case ReplacementPolicy::kRandom:
            break;
    }
    random_ = mix(random_);
    return allowed.first + static_cast<std::uint32_t>(random_ % allowed.count);
}

std::uint64_t Replacement::digest(std::uint32_t set) const {
    std::uint64_t digest = 0;
    const std::uint8_t* state = state_.data() + std::size_t{set} * stride_;
    for (std::uint32_t at = 0; at < stride_; ++at) digest = digest * 0x100'0000'01b3 + state[at];
    return mix(digest);
}

}  // namespace nestwalk
