#pragma once

// What the stages of the cascade found, kept where somebody has to know it access by access: who
// keeps the time.

#include "models/fill_id.h"
#include "models/outcome.h"
#include "sim/bulk_translation.h"
#include "sim/cascade_kernels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

/// Of an entry of an array: what FillId says, or the item of this batch that it came with, whose
/// walk is yet to come.
class FillNote {
public:
    static constexpr std::uint64_t of(FillId id) { return id.value; }
    static constexpr std::uint64_t of_item(std::size_t number) { return kOfItem | number; }
    static constexpr bool is_of_item(std::uint64_t note) { return (note & kOfItem) != 0; }
    static constexpr std::size_t item(std::uint64_t note) {
        return static_cast<std::size_t>(note & ~kOfItem);
    }

private:
    static constexpr std::uint64_t kOfItem = std::uint64_t{1} << 63;
};

struct CascadeTrail {
    /// What an item's walk was, and where its look-ups and reads are in the lists.
    struct Walked {
        std::uint8_t start_level{};
        std::uint8_t lookups{};
        std::uint8_t reads{};
    };

    // By item.
    std::vector<std::uint64_t> notes{};  ///< that it came
    std::vector<std::uint64_t> l1{};  ///< the note of the entry that was found, or a LookUpTrail's
    std::vector<std::uint64_t> stlb{};
    std::vector<std::uint64_t> sequences{};
    std::vector<FillId> fills{};  ///< of its translation, once that is known

    // Of the items that were walked, in order.
    std::vector<Walked> walks{};
    std::vector<StructureLookup> lookups{};
    std::vector<BulkTranslation::Read> reads{};

    // Of the lines that are being looked up.
    std::vector<std::uint64_t> line_notes{};
    std::vector<std::uint64_t> line_found{};

    void begin() {
        walks.clear();
        lookups.clear();
        reads.clear();
    }
    FillId resolve(std::uint64_t note) const {
        return FillNote::is_of_item(note) ? fills[FillNote::item(note)] : FillId{note};
    }
};

}  // namespace nestwalk
