#pragma once

// Where page frames come from: one arena for paging structures and one for each page size, each
// filled upwards, freed frames reused last-freed-first. Deterministic, and far from where a trace's
// own addresses usually lie. The same layout serves host-physical and guest-physical memory.

#include "models/page_size.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nestwalk {

/// A stretch of physical memory.
struct PhysicalRange {
    std::uint64_t first{};
    std::uint64_t end{};
};
/// Where paging structures are.
inline constexpr PhysicalRange kTableArena{std::uint64_t{256} << 20, std::uint64_t{4} << 30};

class FrameAllocator {
public:
    /// Arenas: tables from 256 MiB, 4-KiB frames from 4 GiB, 2-MiB frames from 16 TiB, 1-GiB frames
    /// from 64 TiB. Throws OperationError when an arena is full.
    std::uint64_t take_table();
    void give_back_table(std::uint64_t table);
    std::uint64_t take(PageSize size);
    void give_back(PageSize size, std::uint64_t frame);

    std::uint64_t digest() const;
    bool operator==(const FrameAllocator&) const = default;

private:
    struct Arena {
        std::uint64_t next{};
        std::vector<std::uint64_t> freed{};

        bool operator==(const Arena&) const = default;
    };

    std::uint64_t take_from(std::size_t arena);

    std::array<Arena, 4> arenas_{};
};

}  // namespace nestwalk
