#include "models/frame_allocator.h"
#include "models/digest.h"
#include "models/entry.h"
#include "models/operation_error.h"

namespace nestwalk {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

struct ArenaLayout {
    PhysicalRange range;
    std::uint64_t frame_bytes;
    const char* full;
};

// Index 0 is the arena of paging structures; 1, 2, 3 are the leaf levels of the page sizes.
constexpr std::array<ArenaLayout, 4> kLayout{{
    {kTableArena, kBytesPerTable, "no frame is left for a paging structure (3.75 GiB)"},
    {{4 * kGiB, 16 * kTiB}, page_bytes(PageSize::k4K), "no 4K frame is left"},
    {{16 * kTiB, 64 * kTiB}, page_bytes(PageSize::k2M), "no 2M frame is left (48 TiB)"},
    {{64 * kTiB, std::uint64_t{1} << kPhysicalAddressBits},
     page_bytes(PageSize::k1G),
     "no 1G frame is left (192 TiB)"},
}};

}  // namespace

std::uint64_t FrameAllocator::take_from(std::size_t index) {
    Arena& arena = arenas_[index];
    if (!arena.freed.empty()) {
        const std::uint64_t frame = arena.freed.back();
        arena.freed.pop_back();
        return frame;
    }
    const ArenaLayout& layout = kLayout[index];
    const std::uint64_t frame = layout.range.first + arena.next * layout.frame_bytes;
    if (frame >= layout.range.end) throw OperationError(layout.full);
    ++arena.next;
    return frame;
}

std::uint64_t FrameAllocator::take_table() { return take_from(0); }

void FrameAllocator::give_back_table(std::uint64_t table) { arenas_[0].freed.push_back(table); }

std::uint64_t FrameAllocator::take(PageSize size) {
    return take_from(static_cast<std::size_t>(leaf_level(size)));
}

void FrameAllocator::give_back(PageSize size, std::uint64_t frame) {
    arenas_[static_cast<std::size_t>(leaf_level(size))].freed.push_back(frame);
}

std::uint64_t FrameAllocator::digest() const {
    std::uint64_t digest = 0;
    for (const Arena& arena : arenas_) {
        digest = mix(digest, arena.next);
        digest = mix(digest, arena.freed.size());
        if (!arena.freed.empty()) digest = mix(digest, arena.freed.back());
    }
    return digest;
}

}  // namespace nestwalk
