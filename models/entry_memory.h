#pragma once

// The seam through which walks read paging-structure entries from memory that is not a TableMemory:
// that of a virtual platform, say.

#include "models/address.h"

#include <cstdint>

namespace nestwalk {

class EntryMemory {
public:
    EntryMemory() = default;
    EntryMemory(const EntryMemory&) = delete;
    EntryMemory& operator=(const EntryMemory&) = delete;
    virtual ~EntryMemory() = default;

    /// The 8 bytes at `location`, a multiple of 8, of an entry of either dimension.
    virtual std::uint64_t read(PhysAddr location) = 0;
    /// The walk sets A or D.
    virtual void write(PhysAddr location, std::uint64_t raw) = 0;
};

}  // namespace nestwalk
