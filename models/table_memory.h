#pragma once

// The memory that holds paging structures, sparse and by address: a cache line of eight entries at
// a time. One object models one address space (host-physical, or one guest's guest-physical).
// Copies share their lines until one of them is written, so a snapshot of a state costs next to
// nothing.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace nestwalk {

class TableMemory {
public:
    /// Lines that one object may hold: 16 Mi entries, enough to map 64 GiB with 4-KiB pages.
    static constexpr std::size_t kMostLines = std::size_t{1} << 21;

    TableMemory();

    /// The entry at `address` (a multiple of 8); 0 where nothing was written.
    std::uint64_t read(std::uint64_t address) const;
    /// Throws OperationError when more than kMostLines lines would be in use.
    void write(std::uint64_t address, std::uint64_t raw);
    /// Zeroes the 512 entries of the table at `table`.
    void clear_table(std::uint64_t table);

    std::uint64_t digest() const { return digest_; }
    bool operator==(const TableMemory& other) const;

private:
    using Line = std::array<std::uint64_t, 8>;
    using Lines = std::unordered_map<std::uint64_t, Line>;

    Lines& own_lines();

    std::shared_ptr<Lines> lines_;
    std::uint64_t digest_{};
};

}  // namespace nestwalk
