#pragma once

// Page sizes, and the levels of the paging structures that map them. A level is counted as in the
// SDM's figures: 1 is the page table (4-KiB leaves), 2 the page directory, 3 the page-directory-
// pointer table, 4 the PML4, 5 the PML5.

#include <cstdint>

namespace nestwalk {

inline constexpr int kMaxLevels = 5;
inline constexpr std::uint64_t kEntriesPerTable = 512;
inline constexpr std::uint64_t kBytesPerEntry = 8;
inline constexpr std::uint64_t kBytesPerTable = kEntriesPerTable * kBytesPerEntry;

enum class PageSize : std::uint8_t { k4K = 1, k2M = 2, k1G = 3 };

/// The level whose leaf maps a page of this size: 1, 2 or 3.
constexpr int leaf_level(PageSize size) { return static_cast<int>(size); }
constexpr PageSize page_size_of_level(int level) { return static_cast<PageSize>(level); }

/// Address bits below the part that one entry of `level` covers: 12, 21, 30, 39, 48.
constexpr int level_shift(int level) { return 12 + 9 * (level - 1); }
/// Bytes that one entry of `level` covers.
constexpr std::uint64_t level_bytes(int level) { return std::uint64_t{1} << level_shift(level); }
constexpr std::uint64_t page_bytes(PageSize size) { return level_bytes(leaf_level(size)); }

/// Which of the 512 entries of a `level` table translates `address`.
constexpr std::uint64_t table_index(std::uint64_t address, int level) {
    return (address >> level_shift(level)) & (kEntriesPerTable - 1);
}
constexpr std::uint64_t align_down(std::uint64_t address, std::uint64_t bytes) {
    return address & ~(bytes - 1);
}

/// "4K", "2M", "1G".
constexpr const char* name_of(PageSize size) {
    return size == PageSize::k4K ? "4K" : size == PageSize::k2M ? "2M" : "1G";
}

}  // namespace nestwalk
