#include "sim/cascade_kernels.h"

#include <array>
#include <cstring>

// Highway compiles what is between its marks once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cascade_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
// In this order.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "sim/lane_bits-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace nestwalk::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// --- One set ------------------------------------------------------------------------------------

/// The tags of a set, in vectors of at most eight.
template <std::uint32_t kWays>
class TagsOfSet {
    static constexpr std::size_t kMostLanes = kWays < 8 ? 4 : 8;
    using D = hn::CappedTag<std::uint64_t, kMostLanes>;
    static constexpr std::size_t kLanes = hn::MaxLanes(D());
    static constexpr std::size_t kVectors = (kWays + kLanes - 1) / kLanes;
    static constexpr std::uint32_t kAll = (1u << kWays) - 1;

public:
    HWY_INLINE explicit TagsOfSet(const std::uint64_t* tags) {
        for (std::size_t at = 0; at < kVectors; ++at) {
            vectors_[at] = hn::LoadU(D(), tags + at * kLanes);
        }
    }
    /// Bit n: way n has the tag.
    HWY_INLINE std::uint32_t equal(std::uint64_t tag) const {
        const auto wanted = hn::Set(D(), tag);
        std::uint32_t bits = 0;
        for (std::size_t at = 0; at < kVectors; ++at) {
            bits |= bits_of(D(), hn::Eq(wanted, vectors_[at])) << at * kLanes;
        }
        return bits & kAll;
    }
    /// Where a set is one vector all of it is written: a load that comes soon after can take it
    /// from one store on its way to the cache, and not from parts of several.
    HWY_INLINE void put(std::uint64_t* tags, std::uint32_t way, std::uint64_t tag) const {
        if constexpr (kLanes == kWays) {
            const std::uint8_t bit[8] = {static_cast<std::uint8_t>(1u << way)};
            const auto put =
                hn::IfThenElse(hn::LoadMaskBits(D(), bit), hn::Set(D(), tag), vectors_[0]);
            hn::StoreU(put, D(), tags);
        } else {
            tags[way] = tag;
        }
    }

private:
    hn::Vec<D> vectors_[kVectors];
};

// --- Policies -----------------------------------------------------------------------------------

template <std::size_t kStates, class Victim>
constexpr std::array<std::uint8_t, kStates> table_of(Victim victim) {
    std::array<std::uint8_t, kStates> table{};
    for (std::size_t state = 0; state < kStates; ++state) {
        table[state] = static_cast<std::uint8_t>(victim(state));
    }
    return table;
}
constexpr auto kVictimsOf4 =
    table_of<8>([](std::uint64_t state) { return TreeState::victim(state, 4); });
constexpr auto kVictimsOf8 =
    table_of<128>([](std::uint64_t state) { return TreeState::victim(state, 8); });
constexpr auto kVictimsOfMru3 =
    table_of<2048>([](std::uint64_t state) { return Mru3State::victim(state); });

template <std::uint32_t kWays>
struct Lru {
    explicit Lru(const SetLanes&) {}
    HWY_INLINE std::uint64_t used(std::uint64_t state, std::uint32_t way) const {
        return LruState::used(state, way);
    }
    HWY_INLINE std::uint32_t victim(std::uint64_t state) const {
        return LruState::victim(state, kWays);
    }
};

template <std::uint32_t kWays>
struct Tree {
    explicit Tree(const SetLanes& lanes) : uses(lanes.uses) {}
    HWY_INLINE std::uint64_t used(std::uint64_t state, std::uint32_t way) const {
        return uses[way].apply(state);
    }
    HWY_INLINE std::uint32_t victim(std::uint64_t state) const {
        if constexpr (kWays == 4) return kVictimsOf4[state];
        if constexpr (kWays == 8) return kVictimsOf8[state];
        if constexpr (kWays == 12) return kVictimsOfMru3[state];  // no tree has 12
        return TreeState::victim(state, kWays);
    }
    const UseMasks* uses;
};

// --- A list of items ----------------------------------------------------------------------------

enum class Room { kSome, kNone };
enum class Trail { kNone, kKept };

HWY_INLINE void note(const LookUpTrail& trail, const StageItem& item, bool hit, std::size_t place,
                     bool had_room) {
    const std::size_t number = LookUpTrail::number_of(item);
    const std::uint64_t missed = had_room ? LookUpTrail::kHadRoom : LookUpTrail::kMissed;
    const std::uint64_t held = trail.filled[place];
    trail.found[number] = hit ? held : missed;
    trail.filled[place] = hit ? held : trail.notes[number];
}

template <class Policy, std::uint32_t kWays, Room kRoom, Hits kHits, Trail kTrail>
HWY_NOINLINE std::size_t look_up_all(const SetLanes& lanes, StageItem* items, std::size_t count,
                                     [[maybe_unused]] const LookUpTrail& trail) {
    const Policy policy(lanes);
    std::uint64_t* const tags = lanes.tags;
    std::uint64_t* const words = lanes.words;
    const int number_shift = lanes.number_shift;
    // Sets are a power of two. Where nothing is folded, nothing is left of a number shifted so far.
    const std::uint64_t mask = lanes.sets - 1;
    const int fold = lanes.index == IndexHash::kXorFold ? __builtin_ctz(lanes.sets) : 63;
    std::size_t filled = 0;
    StageItem* missing = items;
    StageItem* const first = items;
    for (const StageItem* const end = items + count; items != end; ++items) {
        const StageItem item = *items;
        const std::uint64_t number = item.tag >> number_shift;
        const std::size_t set = (number ^ number >> fold) & mask;
        std::uint64_t* const set_tags = tags + set * kWays;
        const TagsOfSet<kWays> held(set_tags);
        const std::uint32_t hit = held.equal(item.tag);
        const std::uint64_t word = words[set];
        std::uint32_t way = 0;
        [[maybe_unused]] bool had_room = false;
        if constexpr (kHits == Hits::kMixed) {
            // The hit if there is one, else the first free way, else the victim: the lowest bit.
            std::uint64_t choice = hit | std::uint64_t{1} << 32 << policy.victim(word);
            if constexpr (kRoom == Room::kSome) {
                const std::uint32_t free = held.equal(0);
                choice |= std::uint64_t{free} << 16;
                had_room = free != 0;
                filled += (hit == 0) & had_room;
            }
            way = static_cast<std::uint32_t>(__builtin_ctzll(choice)) & 15;
            held.put(set_tags, way, item.tag);
            *missing = item;
            missing += hit == 0;
        } else if (HWY_LIKELY(hit == 0)) {
            way = policy.victim(word);
            if constexpr (kRoom == Room::kSome) {
                const std::uint32_t free = held.equal(0);
                if (free != 0) {
                    way = static_cast<std::uint32_t>(__builtin_ctz(free));
                    ++filled;
                    had_room = true;
                }
            }
            held.put(set_tags, way, item.tag);
            *missing++ = item;
        } else {
            way = static_cast<std::uint32_t>(__builtin_ctz(hit));
        }
        words[set] = policy.used(word, way);
        if constexpr (kTrail == Trail::kKept)
            note(trail, item, hit != 0, set * kWays + way, had_room);
    }
    *lanes.size += filled;
    return static_cast<std::size_t>(missing - first);
}

template <class Policy, std::uint32_t kWays, Room kRoom>
std::size_t choose_loop(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                        const LookUpTrail& trail) {
    constexpr Hits kAlike = Hits::kAlike;
    constexpr Hits kMixed = Hits::kMixed;
    constexpr Trail kNone = Trail::kNone;
    constexpr Trail kKept = Trail::kKept;
    const bool alike = hits == Hits::kAlike;
    if (trail.filled != nullptr) {
        return alike ? look_up_all<Policy, kWays, kRoom, kAlike, kKept>(lanes, items, count, trail)
                     : look_up_all<Policy, kWays, kRoom, kMixed, kKept>(lanes, items, count, trail);
    }
    return alike ? look_up_all<Policy, kWays, kRoom, kAlike, kNone>(lanes, items, count, trail)
                 : look_up_all<Policy, kWays, kRoom, kMixed, kNone>(lanes, items, count, trail);
}

template <class Policy, std::uint32_t kWays>
std::size_t choose_room(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                        const LookUpTrail& trail) {
    return lanes.full() ? choose_loop<Policy, kWays, Room::kNone>(lanes, hits, items, count, trail)
                        : choose_loop<Policy, kWays, Room::kSome>(lanes, hits, items, count, trail);
}

template <std::uint32_t kWays>
std::size_t choose_policy(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                          const LookUpTrail& trail) {
    return lanes.uses == nullptr
               ? choose_room<Lru<kWays>, kWays>(lanes, hits, items, count, trail)
               : choose_room<Tree<kWays>, kWays>(lanes, hits, items, count, trail);
}

// --- Any geometry and policy --------------------------------------------------------------------

/// Where a set has the tag, or `ways`.
HWY_INLINE std::uint32_t way_of(const std::uint64_t* tags, std::uint32_t ways, std::uint64_t tag) {
    const hn::CappedTag<std::uint64_t, 8> d;
    const auto wanted = hn::Set(d, tag);
    constexpr auto kStep = static_cast<std::uint32_t>(hn::MaxLanes(d));
    for (std::uint32_t at = 0; at < ways; at += kStep) {
        const std::uint32_t bits = bits_of(d, hn::Eq(wanted, hn::LoadU(d, tags + at)));
        if (bits != 0) {
            const std::uint32_t way = at + static_cast<std::uint32_t>(__builtin_ctz(bits));
            return way < ways ? way : ways;  // what is behind the set does not count
        }
    }
    return ways;
}

HWY_INLINE std::uint32_t set_of(const SetLanes& lanes, std::uint64_t tag) {
    const std::uint64_t number = tag >> lanes.number_shift;
    const std::uint64_t mask = lanes.sets - 1;
    if (lanes.index == IndexHash::kXorFold) {
        return static_cast<std::uint32_t>((number ^ number >> __builtin_ctz(lanes.sets)) & mask);
    }
    return static_cast<std::uint32_t>((lanes.sets & mask) == 0 ? number & mask
                                                               : number % lanes.sets);
}

/// Returns where it is now.
HWY_INLINE std::size_t fill(const SetLanes& lanes, WayRange allowed, std::uint32_t set,
                            std::uint64_t tag) {
    const std::size_t first = std::size_t{set} * lanes.ways;
    std::uint64_t* const tags = lanes.tags + first;
    const std::uint32_t free = way_of(tags + allowed.first, allowed.count, 0);
    std::uint32_t way = allowed.first + free;
    if (free == allowed.count) {
        way = lanes.replacement->victim(set, allowed);
    } else {
        ++*lanes.size;
    }
    tags[way] = tag;
    lanes.replacement->fill(set, way);
    return first + way;
}

template <class WaysOf>
HWY_INLINE std::size_t look_up_one_by_one(const SetLanes& lanes, const WaysOf& ways_of,
                                          StageItem* items, std::size_t count,
                                          const LookUpTrail& trail) {
    std::size_t missing = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const StageItem item = items[at];
        const std::uint32_t set = set_of(lanes, item.tag);
        const std::size_t first = std::size_t{set} * lanes.ways;
        const std::uint32_t way = way_of(lanes.tags + first, lanes.ways, item.tag);
        if (way != lanes.ways) {
            lanes.replacement->hit(set, way);
            if (trail.filled != nullptr) note(trail, item, true, first + way, false);
            continue;
        }
        const std::size_t before = *lanes.size;
        const std::size_t place = fill(lanes, ways_of(item.tag), set, item.tag);
        if (trail.filled != nullptr) note(trail, item, false, place, *lanes.size != before);
        items[missing++] = item;
    }
    return missing;
}

}  // namespace

std::size_t LookUp(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                   const LookUpTrail& trail) {
    const bool power_of_two = (lanes.sets & (lanes.sets - 1)) == 0;
    if (lanes.words != nullptr && power_of_two) {
        if (lanes.ways == 4) return choose_policy<4>(lanes, hits, items, count, trail);
        if (lanes.ways == 6) return choose_policy<6>(lanes, hits, items, count, trail);
        if (lanes.ways == 8) return choose_policy<8>(lanes, hits, items, count, trail);
        if (lanes.ways == 12) return choose_policy<12>(lanes, hits, items, count, trail);
        if (lanes.ways == 16) return choose_policy<16>(lanes, hits, items, count, trail);
    }
    const auto all = [&](std::uint64_t) { return WayRange{0, lanes.ways}; };
    return look_up_one_by_one(lanes, all, items, count, trail);
}

std::size_t LookUpDivided(const SetLanes& lanes, const WaysByLevel& ways, StageItem* items,
                          std::size_t count, const LookUpTrail& trail) {
    const auto of_level = [&](std::uint64_t tag) {
        return ways[static_cast<std::size_t>(MappingTag::level(tag))];
    };
    return look_up_one_by_one(lanes, of_level, items, count, trail);
}

std::size_t FindOne(const SetLanes& lanes, std::uint64_t tag) {
    const std::size_t first = std::size_t{set_of(lanes, tag)} * lanes.ways;
    const std::uint32_t way = way_of(lanes.tags + first, lanes.ways, tag);
    return way == lanes.ways ? kNotHeld : first + way;
}

std::size_t FillOne(const SetLanes& lanes, WayRange ways, std::uint64_t tag) {
    return fill(lanes, ways, set_of(lanes, tag), tag);
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace nestwalk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestwalk {

HWY_EXPORT(LookUp);
HWY_EXPORT(LookUpDivided);
HWY_EXPORT(FindOne);
HWY_EXPORT(FillOne);
HWY_EXPORT(Target);

std::size_t look_up(const SetLanes& lanes, Hits hits, StageItem* items, std::size_t count,
                    const LookUpTrail& trail) {
    return HWY_DYNAMIC_DISPATCH(LookUp)(lanes, hits, items, count, trail);
}
std::size_t look_up_divided(const SetLanes& lanes, const WaysByLevel& ways, StageItem* items,
                            std::size_t count, const LookUpTrail& trail) {
    return HWY_DYNAMIC_DISPATCH(LookUpDivided)(lanes, ways, items, count, trail);
}
std::size_t find_one(const SetLanes& lanes, std::uint64_t tag) {
    return HWY_DYNAMIC_DISPATCH(FindOne)(lanes, tag);
}
std::size_t fill_one(const SetLanes& lanes, WayRange ways, std::uint64_t tag) {
    return HWY_DYNAMIC_DISPATCH(FillOne)(lanes, ways, tag);
}
const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace nestwalk
#endif
