#pragma once

// A memory of where recent L1 TLB hits were found, so that the next access to the page need not
// look through the arrays. It changes nothing: it is believed only under the same tags, and while
// nothing has been put into or taken out of any array.

#include "models/mapping.h"
#include "models/page_size.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace nestwalk {

class RecentHits {
public:
    struct Hit {
        Mapping* mapping{};
        std::uint32_t array{};
    };

    RecentHits() = default;
    // What it points to belongs to one Mmu: another begins with nothing.
    RecentHits(const RecentHits&) {}
    RecentHits& operator=(const RecentHits&) {
        forget();
        return *this;
    }

    /// The hit remembered for the page; its mapping is null if there is none.
    Hit find(VirtAddr va, const MappingKey& tags, std::size_t side) const {
        const Memory& memory = memories_[place(va, side)];
        const bool valid =
            memory.page == page_of(va) && memory.epoch == epoch_ && memory.tags == tags;
        return valid ? memory.hit : Hit{};
    }
    /// An unambiguous hit.
    void remember(VirtAddr va, const MappingKey& tags, std::size_t side, Hit hit) {
        memories_[place(va, side)] = {page_of(va), epoch_, tags, hit};
    }
    void forget() { ++epoch_; }

private:
    struct Memory {
        std::uint64_t page{};
        std::uint64_t epoch{};
        MappingKey tags{};
        Hit hit{};
    };
    static constexpr std::size_t kPages = 256;

    static std::uint64_t page_of(VirtAddr va) { return va.value() >> level_shift(1); }
    static std::size_t place(VirtAddr va, std::size_t side) {
        return side * kPages + page_of(va) % kPages;
    }

    std::uint64_t epoch_{1};
    std::array<Memory, 2 * kPages> memories_{};
};

}  // namespace nestwalk
