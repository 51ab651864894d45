#pragma once

// Which pages a trace touches, exactly, in bounded memory: beyond the bound only that there are
// more.

#include "models/address.h"
#include "models/page_size.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace nestwalk {

class PageCensus {
public:
    /// Regions of 2 MiB that are told apart: some 200 MiB of memory to remember them.
    static constexpr std::size_t kMostRegions = std::size_t{1} << 21;

    /// One access; `bytes` is at least 1.
    void touch(VirtAddr va, std::uint64_t bytes) {
        const std::uint64_t first = va.value() >> level_shift(1);
        const std::uint64_t last = (va.value() + (bytes - 1)) >> level_shift(1);
        touch_page(first);
        if (last != first) touch_page(last);
    }
    /// `count` of them, `stride` bytes apart; addresses wrap around.
    void touch(VirtAddr va, std::uint64_t bytes, std::uint64_t count, std::uint64_t stride);

    std::uint64_t pages_4k() const { return pages_4k_; }
    std::uint64_t pages_2m() const { return regions_.size(); }
    /// False if there were more than could be told apart; the numbers are then the least that there
    /// are.
    bool is_exact() const { return !full_; }

private:
    using Region = std::bitset<kEntriesPerTable>;

    void touch_page(std::uint64_t page) {
        std::uint64_t& recent = recent_[page % recent_.size()];
        if (recent == page + 1) return;
        recent = page + 1;
        remember(page);
    }
    void remember(std::uint64_t page);
    void touch_range(std::uint64_t va, std::uint64_t steps, std::uint64_t stride,
                     std::uint64_t bytes);
    void touch_pages(std::uint64_t first, std::uint64_t last);
    Region* region(std::uint64_t number);

    std::unordered_map<std::uint64_t, Region> regions_{};
    std::uint64_t pages_4k_{};
    bool full_{};
    std::array<std::uint64_t, 1024> recent_{};  ///< page + 1; 0 means none
};

}  // namespace nestwalk
