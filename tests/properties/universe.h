#pragma once

// The small world that random programs live in: few pages, chosen so that some share a page table,
// some only a page directory, some nothing, and so that large pages cover several of them; few
// frames, which overlap; few spaces, virtual machines and host tables.

#include <array>
#include <cstdint>

namespace nestwalk::test {

/// Linear pages. The last needs 5-level paging and is not canonical without.
inline constexpr std::array<std::uint64_t, 9> kPages{
    0x0000'0000'0040'0000,  // 1-GiB region 0
    0x0000'0000'0040'1000,  // the same page table
    0x0000'0000'005f'f000,  // the same 2-MiB region, at its end
    0x0000'0000'0060'0000,  // the next 2-MiB region
    0x0000'0000'4040'0000,  // the next 1-GiB region
    0x0000'0080'0040'0000,  // another PML4E
    0xffff'8000'0040'0000,  // upper half
    0xffff'8000'0040'1000,
    0x0001'0000'0040'0000,  // another PML5E
};

inline constexpr std::array<const char*, 4> kSpaces{"s0", "s1", "s2", "s3"};
inline constexpr std::array<std::uint16_t, 4> kSpacePcids{0, 1, 2, 1};
inline constexpr std::array<const char*, 2> kHostSpaces{"host", "h1"};
inline constexpr std::array<const char*, 2> kMachines{"vm0", "vm1"};
inline constexpr std::array<const char*, 2> kHostTables{"e0", "e1"};

/// Frames of guest-physical or, natively, host-physical memory.
inline constexpr std::array<std::uint64_t, 4> kSmallFrames{0x2000'0000, 0x2000'1000, 0x2020'0000,
                                                           0x4000'3000};
inline constexpr std::array<std::uint64_t, 3> kMediumFrames{0x2000'0000, 0x2020'0000, 0x4040'0000};
inline constexpr std::array<std::uint64_t, 2> kLargeFrames{0x4000'0000, 0x8000'0000};

/// Guest-physical memory that programs can reach is below this: mapped in every host table.
inline constexpr std::uint64_t kGuestMemory = 0xc000'0000;
/// Where the guests' paging structures are.
inline constexpr std::uint64_t kGuestTables = 0x1000'0000;
/// Guest-physical pages that host records name.
inline constexpr std::array<std::uint64_t, 10> kGuestPages{
    0x2000'0000, 0x2000'1000, 0x2020'0000, 0x4000'3000, 0x4040'0000,
    0x4040'1000, 0x8040'0000, 0x1000'0000, 0x1000'2000, 0x1000'5000};

/// Where a guest's collapsed pages get their frames.
inline constexpr std::uint64_t kCollapsedPages = 0x1000'0000'0000;

/// Host-physical frames that host records name.
inline constexpr std::uint64_t kHostMemory = 0x300'0000'0000;

}  // namespace nestwalk::test
