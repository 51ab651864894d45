#pragma once

// True LRU of sets that are too wide for one word: a number a way, from a count of uses, so that a
// use is one store. Only the order of the numbers in a set means anything: what is compared and
// digested is each way's age, the number of ways used since.

#include "models/machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nestwalk {

class UseStamps {
public:
    /// After so many they are counted anew.
    static constexpr std::uint32_t kMostUses = std::numeric_limits<std::uint32_t>::max();

    UseStamps() = default;
    /// Way 0 of each set was used last, the highest way longest ago. `used` ways were used before,
    /// at least `ways`.
    UseStamps(std::uint32_t sets, std::uint32_t ways, std::uint32_t used)
        : ways_(ways), count_(used), stamps_(std::size_t{sets} * ways) {
        for (std::size_t at = 0; at < stamps_.size(); ++at) {
            stamps_[at] = ways - static_cast<std::uint32_t>(at % ways);
        }
    }

    UseStamps(std::uint32_t sets, std::uint32_t ways) : UseStamps(sets, ways, ways) {}

    bool empty() const { return stamps_.empty(); }

    void use(std::uint32_t set, std::uint32_t way) {
        if (count_ == kMostUses) renumber();
        stamps_[std::size_t{set} * ways_ + way] = ++count_;
    }
    /// Of ways of one set, in order.
    void use_all(std::uint32_t set, std::span<const std::uint32_t> ways) {
        if (kMostUses - count_ < ways.size()) renumber();
        std::uint32_t* const stamps = stamps_.data() + std::size_t{set} * ways_;
        std::uint32_t count = count_;
        for (const std::uint32_t way : ways) stamps[way] = ++count;
        count_ = count;
    }
    std::uint32_t victim(std::uint32_t set, WayRange allowed) const {
        const auto first = at(set) + allowed.first;
        return static_cast<std::uint32_t>(std::min_element(first, first + allowed.count) - at(set));
    }

    /// Ways of the set used since this one was.
    std::uint32_t age(std::uint32_t set, std::uint32_t way) const {
        const std::uint32_t mine = at(set)[way];
        std::uint32_t age = 0;
        for (std::uint32_t other = 0; other < ways_; ++other) age += at(set)[other] > mine;
        return age;
    }
    bool operator==(const UseStamps& other) const {
        if (ways_ != other.ways_ || stamps_.size() != other.stamps_.size()) return false;
        if (stamps_ == other.stamps_) return true;
        for (std::uint32_t set = 0; set < sets(); ++set) {
            if (std::equal(at(set), at(set) + ways_, other.at(set))) continue;
            for (std::uint32_t way = 0; way < ways_; ++way) {
                if (age(set, way) != other.age(set, way)) return false;
            }
        }
        return true;
    }

private:
    const std::uint32_t* at(std::uint32_t set) const {
        return stamps_.data() + std::size_t{set} * ways_;
    }
    std::uint32_t sets() const {
        return ways_ == 0 ? 0 : static_cast<std::uint32_t>(stamps_.size() / ways_);
    }
    /// Begins to count anew with the same ages.
    void renumber() {
        std::vector<std::uint32_t> ages(ways_);
        for (std::uint32_t set = 0; set < sets(); ++set) {
            for (std::uint32_t way = 0; way < ways_; ++way) ages[way] = age(set, way);
            for (std::uint32_t way = 0; way < ways_; ++way) {
                stamps_[std::size_t{set} * ways_ + way] = ways_ - ages[way];
            }
        }
        count_ = ways_;
    }

    std::uint32_t ways_{};
    std::uint32_t count_{};
    std::vector<std::uint32_t> stamps_{};
};

}  // namespace nestwalk
