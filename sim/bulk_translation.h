#pragma once

// What a clock is told of a translation that was made among many: what an Outcome says, under the
// same names, without what only one of a single access has, and without memory of its own. It
// faulted nowhere, wrote nothing to the tables, and its data occupies no cache.

#include "models/outcome.h"

#include <array>
#include <cstdint>
#include <span>

namespace nestwalk {

struct BulkTranslation {
    struct Read {
        LineUse line{};
        static constexpr bool set_accessed = false;
        static constexpr bool set_dirty = false;
    };

    static constexpr bool answered = false;
    static constexpr Fault fault{};
    static constexpr std::array<LineUse, 0> lines{};

    bool second_page{};
    bool l1_missed{};
    bool stlb_missed{};
    std::uint8_t start_level{};
    AccessKind access{};
    FillId filled_by{};
    std::uint64_t sequence{};
    std::span<const Read> reads{};
    std::span<const StructureLookup> lookups{};
};

}  // namespace nestwalk
