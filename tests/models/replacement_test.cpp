// Replacement policies. Each is held against a model written another way than the code (a list of
// ways by age, tree bits by name) or against a sequence worked out by hand from the policy's
// definition.

#include "models/replacement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;

namespace {

using Ways = std::vector<std::uint32_t>;

/// A small generator for the order in which tests touch ways.
class Order {
public:
    std::uint32_t below(std::uint32_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33) % limit;
    }

private:
    std::uint64_t state_{2024};
};

/// Fills ways 0, 1, 2... of set 0 as an array does that starts empty.
Replacement filled(ReplacementPolicy policy, std::uint32_t ways) {
    Replacement replacement(policy, 1, ways, 1);
    for (std::uint32_t way = 0; way < ways; ++way) replacement.fill(0, way);
    return replacement;
}

/// What `misses` misses in a row replace.
Ways victims(Replacement& replacement, WayRange allowed, int misses) {
    Ways ways;
    for (int miss = 0; miss < misses; ++miss) {
        ways.push_back(replacement.victim(0, allowed));
        replacement.fill(0, ways.back());
    }
    return ways;
}

}  // namespace

TEST_CASE("replacement: true LRU replaces the way that was used longest ago") {
    for (const std::uint32_t ways : {1u, 2u, 6u, 12u, 15u, 16u, 17u, 20u, 64u, 96u}) {
        Replacement replacement = filled(ReplacementPolicy::kTrueLru, ways);
        std::list<std::uint32_t> oldest_first;
        for (std::uint32_t way = 0; way < ways; ++way) oldest_first.push_back(way);
        Order order;
        for (int step = 0; step < 2000; ++step) {
            std::uint32_t way = order.below(ways);
            if (order.below(3) == 0) {
                way = replacement.victim(0, {0, ways});
                REQUIRE(way == oldest_first.front());
                replacement.fill(0, way);
            } else {
                replacement.hit(0, way);
            }
            oldest_first.remove(way);
            oldest_first.push_back(way);
        }
    }
}

TEST_CASE("replacement: an array never used replaces its highest way first") {
    for (const std::uint32_t ways : {1u, 4u, 12u, 16u, 17u, 64u}) {
        Replacement replacement(ReplacementPolicy::kTrueLru, 2, ways, 1);
        CHECK(replacement.victim(0, {0, ways}) == ways - 1);
        CHECK(replacement.victim(1, {0, ways}) == ways - 1);
    }
}

// Loops collapse by this: how often and how long ago ways were used is no part of the state.
TEST_CASE("replacement: true LRU is the order of uses and nothing else") {
    for (const std::uint32_t ways : {4u, 16u, 17u, 64u}) {
        Replacement once = filled(ReplacementPolicy::kTrueLru, ways);
        Replacement often = filled(ReplacementPolicy::kTrueLru, ways);
        for (int round = 0; round < 3; ++round) {
            for (std::uint32_t way = 0; way < ways; ++way) often.hit(0, way);
        }
        CHECK(once == often);
        CHECK(once.digest(0) == often.digest(0));
        often.hit(0, 1);
        CHECK_FALSE(once == often);
        CHECK(once.digest(0) != often.digest(0));
        once.hit(0, 1);
        CHECK(once == often);
        CHECK(once.digest(0) == often.digest(0));
    }
}

TEST_CASE("replacement: true LRU of many ways counts uses anew before it runs out of numbers") {
    UseStamps stamps(2, 3, UseStamps::kMostUses - 1);
    stamps.use(0, 2);
    stamps.use(1, 1);
    UseStamps fresh(2, 3);
    fresh.use(0, 2);
    fresh.use(1, 1);
    CHECK(stamps == fresh);
    for (const std::uint32_t set : {0u, 1u}) {
        for (const std::uint32_t way : {0u, 1u, 2u}) {
            CHECK(stamps.age(set, way) == fresh.age(set, way));
        }
    }
    CHECK(stamps.victim(0, {0, 3}) == 1);
    CHECK(stamps.victim(1, {0, 3}) == 2);
}

TEST_CASE("replacement: true LRU within a range takes the oldest way of the range") {
    Replacement replacement = filled(ReplacementPolicy::kTrueLru, 4);
    replacement.hit(0, 2);  // oldest first now: 0, 1, 3, 2
    CHECK(replacement.victim(0, {2, 2}) == 3);
    CHECK(replacement.victim(0, {1, 3}) == 1);
    CHECK(replacement.victim(0, {0, 4}) == 0);

    Replacement wide = filled(ReplacementPolicy::kTrueLru, 20);
    wide.hit(0, 17);
    CHECK(wide.victim(0, {17, 3}) == 18);
    CHECK(wide.victim(0, {17, 1}) == 17);
    CHECK(wide.victim(0, {0, 20}) == 0);
}

TEST_CASE("replacement: sets do not disturb each other") {
    Replacement replacement(ReplacementPolicy::kTrueLru, 2, 2, 1);
    for (const std::uint32_t set : {0u, 1u}) {
        for (const std::uint32_t way : {0u, 1u}) replacement.fill(set, way);
    }
    replacement.hit(0, 0);
    CHECK(replacement.victim(0, {0, 2}) == 1);
    CHECK(replacement.victim(1, {0, 2}) == 0);
}

// Four ways: a root bit and a bit for each pair; a use turns the bits on its way to the other side.
// After 0, 1, 2, 3 root and both pairs point left: 0; root turns right, to the pair that points at
// 2; then the left pair points at 1, the right one at 3.
TEST_CASE("replacement: tree-PLRU of 4 ways replaces 0, 2, 1, 3 in a row of misses") {
    Replacement replacement = filled(ReplacementPolicy::kTreePlru, 4);
    CHECK(victims(replacement, {0, 4}, 8) == Ways{0, 2, 1, 3, 0, 2, 1, 3});
}

// Each level of the tree alternates, so the n-th miss replaces n with its bits reversed.
TEST_CASE("replacement: tree-PLRU of 8 ways replaces in the order of reversed bits") {
    Replacement replacement = filled(ReplacementPolicy::kTreePlru, 8);
    CHECK(victims(replacement, {0, 8}, 8) == Ways{0, 4, 2, 6, 1, 5, 3, 7});
}

TEST_CASE("replacement: tree-PLRU of 16 ways replaces in the order of reversed bits") {
    Replacement replacement = filled(ReplacementPolicy::kTreePlru, 16);
    CHECK(victims(replacement, {0, 16}, 16) ==
          Ways{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15});
}

// A way is the victim exactly if, of every subtree that holds it, its half was not the one used
// last.
TEST_CASE("replacement: tree-PLRU avoids the half used last at every level") {
    for (const std::uint32_t ways : {4u, 8u, 16u}) {
        Replacement replacement = filled(ReplacementPolicy::kTreePlru, ways);
        std::vector<int> used_at(ways);
        int now = 0;
        for (std::uint32_t way = 0; way < ways; ++way) used_at[way] = ++now;
        const auto last_use = [&](std::uint32_t first, std::uint32_t count) {
            const auto begin = used_at.begin() + first;
            return *std::max_element(begin, begin + count);
        };
        Order order;
        for (int step = 0; step < 500; ++step) {
            const std::uint32_t used = order.below(ways);
            replacement.hit(0, used);
            used_at[used] = ++now;

            std::uint32_t expected = 0;
            for (std::uint32_t half = ways / 2; half > 0; half /= 2) {
                if (last_use(expected, half) > last_use(expected + half, half)) expected += half;
            }
            REQUIRE(replacement.victim(0, {0, ways}) == expected);
        }
    }
}

TEST_CASE("replacement: tree-PLRU turns to the other half where its range has no way") {
    Replacement replacement = filled(ReplacementPolicy::kTreePlru, 8);
    CHECK(replacement.victim(0, {0, 8}) == 0);
    CHECK(replacement.victim(0, {4, 4}) == 4);
    CHECK(replacement.victim(0, {7, 1}) == 7);
    CHECK(victims(replacement, {4, 2}, 4) == Ways{4, 5, 4, 5});
}

// Three subtrees of four ways. The victim is in the subtree after the one used last, where its
// tree-PLRU points: the subtrees take turns, and each goes through its ways in the order 0, 2,
// 1, 3.
TEST_CASE("replacement: (MRU+1)%3-PLRU4 goes round its three subtrees") {
    Replacement replacement = filled(ReplacementPolicy::kMru3Plru4, 12);
    CHECK(victims(replacement, {0, 12}, 12) == Ways{0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11});
}

TEST_CASE("replacement: (MRU+1)%3-PLRU4 leaves the subtree used last alone") {
    Replacement replacement = filled(ReplacementPolicy::kMru3Plru4, 12);
    replacement.hit(0, 1);  // subtree 0; its root points right now, its left pair at 0
    CHECK(replacement.victim(0, {0, 12}) == 4);
    replacement.hit(0,
                    10);  // subtree 2, so that subtree 0 is next: ways 2 and 3, used in this order
    CHECK(replacement.victim(0, {0, 12}) == 2);
}

TEST_CASE("replacement: (MRU+1)%3-PLRU4 skips subtrees outside its range") {
    Replacement replacement = filled(ReplacementPolicy::kMru3Plru4, 12);
    CHECK(victims(replacement, {8, 4}, 4) == Ways{8, 10, 9, 11});
    CHECK(victims(replacement, {4, 2}, 4) == Ways{4, 5, 4, 5});
}

// One reference bit a way; the first way without it is replaced. When the last bit is set the
// others are cleared.
TEST_CASE("replacement: NRU replaces the first way not used since the bits were cleared") {
    Replacement replacement = filled(ReplacementPolicy::kNru, 4);  // filling 3 cleared 0, 1, 2
    CHECK(replacement.victim(0, {0, 4}) == 0);
    replacement.hit(0, 0);
    CHECK(replacement.victim(0, {0, 4}) == 1);
    replacement.hit(0, 1);
    CHECK(replacement.victim(0, {0, 4}) == 2);
    replacement.hit(0, 2);  // all four used: 0, 1 and 3 are cleared
    CHECK(replacement.victim(0, {0, 4}) == 0);
    CHECK(replacement.victim(0, {3, 1}) == 3);
}

TEST_CASE("replacement: NRU finds a victim in a range whose ways were all used") {
    Replacement replacement(ReplacementPolicy::kNru, 1, 4, 1);
    replacement.fill(0, 0);
    replacement.fill(0, 1);  // 2 and 3 have never been used
    CHECK(replacement.victim(0, {0, 2}) == 0);
}

// Jaleel et al., "High Performance Cache Replacement Using Re-Reference Interval Prediction":
// SRRIP-HP with two bits: fills at 2, hits at 0, the first way at 3 is replaced, all age until one
// is.
TEST_CASE("replacement: SRRIP keeps what was used again and replaces what was not") {
    Replacement replacement = filled(ReplacementPolicy::kSrrip, 4);  // 2 2 2 2
    replacement.hit(0, 0);                                           // 0 2 2 2
    CHECK(replacement.victim(0, {0, 4}) == 1);                       // 1 3 3 3
    replacement.fill(0, 1);                                          // 1 2 3 3
    CHECK(replacement.victim(0, {0, 4}) == 2);
    replacement.fill(0, 2);                     // 1 2 2 3
    replacement.hit(0, 3);                      // 1 2 2 0
    CHECK(replacement.victim(0, {0, 4}) == 1);  // 2 3 3 1
    CHECK(replacement.victim(0, {3, 1}) == 3);
}

TEST_CASE("replacement: random replacement repeats with its seed, and another seed differs") {
    const WayRange all{0, 8};
    Replacement first(ReplacementPolicy::kRandom, 1, 8, 7);
    Replacement again(ReplacementPolicy::kRandom, 1, 8, 7);
    Replacement other(ReplacementPolicy::kRandom, 1, 8, 8);
    const Ways ways = victims(first, all, 64);
    CHECK(ways == victims(again, all, 64));
    CHECK(ways != victims(other, all, 64));
}

// 8000 draws of 8 ways: 1000 each, standard deviation sqrt(8000 * 1/8 * 7/8) = 29.6; six of these
// are 178.
TEST_CASE("replacement: random replacement takes each way about as often") {
    Replacement replacement(ReplacementPolicy::kRandom, 1, 8, 1);
    std::array<int, 8> drawn{};
    for (const std::uint32_t way : victims(replacement, {0, 8}, 8000)) ++drawn.at(way);
    for (const int count : drawn) CHECK(std::abs(count - 1000) < 178);
}

TEST_CASE("replacement: every policy stays within its range of ways") {
    for (const ReplacementPolicy policy :
         {ReplacementPolicy::kTrueLru, ReplacementPolicy::kMru3Plru4, ReplacementPolicy::kNru,
          ReplacementPolicy::kSrrip, ReplacementPolicy::kRandom}) {
        Replacement replacement = filled(policy, 12);
        Order order;
        for (int step = 0; step < 500; ++step) {
            const std::uint32_t first = order.below(12);
            const WayRange allowed{first, 1 + order.below(12 - first)};
            const std::uint32_t way = replacement.victim(0, allowed);
            REQUIRE(way >= first);
            REQUIRE(way < first + allowed.count);
            replacement.fill(0, way);
            replacement.hit(0, order.below(12));
        }
    }
}
