#pragma once

// Puts items of several lists, each in order, into one: an item has a number in the batch.

#include "sim/cascade_items.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

class InOrder {
public:
    explicit InOrder(std::size_t most) : items_(most), present_((most + 63) / 64) {}

    void put(const StageItem* items, std::size_t count) {
        for (const StageItem* item = items; item != items + count; ++item) put(*item);
    }
    void put(const StageItem& item) {
        const std::size_t number = ItemMark(item.mark).number();
        items_[number] = item;
        present_[number / 64] |= std::uint64_t{1} << number % 64;
    }
    /// Calls `take` with each item in order, and holds none any more.
    template <typename Take>
    void take_all(const Take& take) {
        for (std::size_t word = 0; word < present_.size(); ++word) {
            for (std::uint64_t left = present_[word]; left != 0; left &= left - 1) {
                take(items_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(left))]);
            }
            present_[word] = 0;
        }
    }

private:
    std::vector<StageItem> items_;
    std::vector<std::uint64_t> present_;
};

}  // namespace nestwalk
