#pragma once

// How the oracle reads a paging-structure entry: straight from the manuals' figures ("Format of a
// ... Entry" and "EPT Paging-Structure Entries"), with a decoder of its own.

#include "models/page_size.h"
#include "models/table_memory.h"

#include <cstdint>

namespace nestwalk::test {

/// A table as the oracle sees it: memory that it only ever reads, and an address that means nothing
/// to it.
struct TableView {
    const TableMemory* memory{};
    std::uint64_t root{};
    int levels{4};
    bool ept{};
};

struct EntryBits {
    std::uint64_t raw{};
    int level{1};
    bool ept{};
    bool no_execute_enabled{true};

    bool bit(int number) const { return ((raw >> number) & 1) != 0; }
    bool present() const { return ept ? (raw & 7) != 0 : bit(0); }
    bool leaf() const { return level == 1 || (level <= 3 && bit(7)); }
    bool readable() const { return bit(0); }
    bool writable() const { return bit(1); }
    bool user() const { return ept || bit(2); }
    bool no_execute() const { return ept ? !bit(2) : bit(63); }
    bool accessed() const { return bit(ept ? 8 : 5); }
    bool dirty() const { return bit(ept ? 9 : 6); }
    bool global() const { return !ept && bit(8); }
    std::uint64_t target() const { return raw & 0x000f'ffff'ffff'f000; }
    std::uint64_t accessed_mask() const { return std::uint64_t{1} << (ept ? 8 : 5); }
    std::uint64_t dirty_mask() const { return std::uint64_t{1} << (ept ? 9 : 6); }

    /// A reserved bit is set, or an EPT entry is misconfigured.
    bool misformed() const {
        if ((raw >> 48 & 0xf) != 0) return true;
        if (level >= 4 && bit(7)) return true;
        if (leaf() && level > 1 && misaligned()) return true;
        if (!ept) return bit(63) && !no_execute_enabled;
        if (bit(1) && !bit(0)) return true;
        const std::uint64_t memory_type = raw >> 3 & 7;
        if (!leaf()) return (raw >> 3 & 0xf) != 0;
        return memory_type == 2 || memory_type == 3 || memory_type == 7;
    }

private:
    /// Bit 12 of an ordinary large leaf is PAT.
    bool misaligned() const {
        const std::uint64_t low = (std::uint64_t{1} << level_shift(level)) - 1;
        return (raw & low & ~std::uint64_t{ept ? 0xfffu : 0x1fffu}) != 0;
    }
};

/// Where the path of an address ends in memory: a leaf, or an absent or misformed entry.
struct PathEnd {
    std::uint64_t location{};
    EntryBits entry{};
};

/// The entry of `level` on the path of `address`, or the one above it where the path ends.
inline PathEnd path_to(const TableView& table, std::uint64_t address, int level) {
    std::uint64_t at = table.root;
    for (int now = table.levels;; --now) {
        const std::uint64_t location = at + kBytesPerEntry * table_index(address, now);
        const EntryBits entry{table.memory->read(location), now, table.ept, true};
        const bool ends =
            now == 1 || entry.bit(7);  // bit 7 ends a path at levels that have no leaves too
        if (now == level || !entry.present() || ends) return {location, entry};
        at = entry.target() & 0x0000'ffff'ffff'f000;  // a reserved bit does not mislead software
    }
}

}  // namespace nestwalk::test
