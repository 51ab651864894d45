#pragma once

// Which pages the data references of a trace touch, whatever the size they are mapped with. It only
// grows: repeating what happened before does not change it.

#include "models/address.h"
#include "models/page_size.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace nestwalk {

class Footprint {
public:
    /// Regions of 2 MiB that may be touched: some 200 MiB of memory to remember them.
    static constexpr std::size_t kMostRegions = std::size_t{1} << 21;

    /// Throws OperationError for more than kMostRegions.
    void touch(VirtAddr va) {
        const std::uint64_t page = va.value() >> level_shift(1);
        std::uint64_t& recent = recent_[page % recent_.size()];
        if (recent == page + 1) return;
        recent = page + 1;
        remember(page);
    }

    /// Both ends of an access, which is at most a page long.
    void touch(VirtAddr va, std::uint64_t bytes) {
        const VirtAddr last = va + (bytes - 1);
        touch(va);
        if ((va.value() ^ last.value()) >> level_shift(1) != 0) touch(last);
    }

    std::uint64_t pages_4k() const { return pages_4k_; }
    std::uint64_t pages_2m() const { return regions_.size(); }

private:
    void remember(std::uint64_t page);

    std::unordered_map<std::uint64_t, std::bitset<kEntriesPerTable>> regions_{};
    std::uint64_t pages_4k_{};
    std::array<std::uint64_t, 256> recent_{};  ///< page + 1; 0 means none
};

}  // namespace nestwalk
