#pragma once

// What the replay is measured against: the plainest simulator of a TLB, one access at a time. Two
// levels of true LRU, each set in order of recency; no tables, no walks, no tags, one page size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk::bench {

class NaiveArray {
public:
    NaiveArray(std::size_t sets, std::size_t ways)
        : sets_(sets), ways_(ways), pages_(sets * ways, ~std::uint64_t{0}) {}

    /// True on a hit; either way the page is the set's most recent one then.
    bool use(std::uint64_t page) {
        std::uint64_t* const set = pages_.data() + (page & (sets_ - 1)) * ways_;
        std::uint64_t* const found = std::find(set, set + ways_, page);
        const bool hit = found != set + ways_;
        std::uint64_t* const last = hit ? found : set + ways_ - 1;
        std::copy_backward(set, last, last + 1);
        *set = page;
        return hit;
    }

private:
    std::size_t sets_;
    std::size_t ways_;
    std::vector<std::uint64_t> pages_;
};

struct NaiveTlb {
    NaiveArray l1{16, 4};
    NaiveArray stlb{128, 12};
    std::uint64_t l1_misses{};
    std::uint64_t stlb_misses{};

    void load(std::uint64_t address) {
        const std::uint64_t page = address >> 12;
        if (l1.use(page)) return;
        ++l1_misses;
        if (!stlb.use(page)) ++stlb_misses;
    }
};

}  // namespace nestwalk::bench
