#pragma once

// Page tables as an operating system and a hypervisor write them, in the platform's memory.

#include "memory.h"

#include <cstdint>

/// Hands out zeroed 4-KiB tables one after another.
class TableArena {
public:
    explicit TableArena(std::uint64_t first) : next_(first) {}
    std::uint64_t take() { return (next_ += 0x1000) - 0x1000; }

private:
    std::uint64_t next_;
};

/// A 4-level radix tree of 4-KiB pages. `present` has the bits that every entry gets: P, R/W and
/// U/S of an ordinary entry, read, write and execute of an EPT's. Table addresses in entries are
/// `base` less than where the tables are: a guest's are guest-physical.
class PageTables {
public:
    PageTables(Memory& memory, TableArena& arena, std::uint64_t present, std::uint64_t base = 0)
        : memory_(memory), arena_(arena), present_(present), base_(base), root_(arena.take()) {}

    /// As entries and CR3 name it.
    std::uint64_t root() const { return root_ - base_; }
    void map(std::uint64_t address, std::uint64_t frame);

private:
    Memory& memory_;
    TableArena& arena_;
    std::uint64_t present_;
    std::uint64_t base_;
    std::uint64_t root_;
};
