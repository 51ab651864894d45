#pragma once

// The tags and the replacement state of a SetAssociative, lent to an engine that looks up in bulk.
// Such an engine finds, fills and replaces by tags alone, as SetAssociative does; the entries that
// belong to the tags it put in are made when somebody wants to see them (SetAssociative::settle).

#include "models/machine.h"
#include "models/replacement.h"

#include <cstddef>
#include <cstdint>

namespace nestwalk {

struct SetLanes {
    /// Words that may be read behind the last set.
    static constexpr std::size_t kSlack = 16;

    std::uint64_t* tags{};   ///< `ways` a set; 0 of a way that holds nothing
    std::uint64_t* words{};  ///< one a set; null where the policy keeps its state in another form
    const UseMasks* uses{};  ///< a way, where the policy is a tree; else null
    Replacement* replacement{};
    std::size_t* size{};  ///< ways that hold something
    std::uint32_t sets{};
    std::uint32_t ways{};
    IndexHash index{};
    ReplacementPolicy policy{};
    int number_shift{};  ///< of a tag: above it is what the index is made of

    bool full() const { return *size == std::size_t{sets} * ways; }
};

}  // namespace nestwalk
