#pragma once

// The memory that holds paging structures, sparse and by address. One object models one address
// space (host-physical, or one guest's guest-physical). A frame keeps the cache lines of eight
// entries that were ever written, packed, so a page whose neighbours are mapped too costs little
// more than its 8-byte entry. Copies share what they hold until one of them is written, so a
// snapshot of a state costs next to nothing.

#include "models/frame_allocator.h"
#include "models/page_size.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace nestwalk {

class TableMemory {
public:
    /// Lines that one object may hold: 16 Mi entries, enough to map 64 GiB with 4-KiB pages.
    static constexpr std::size_t kMostLines = std::size_t{1} << 21;

    TableMemory();

    /// The entry at `address` (a multiple of 8); 0 where nothing was written.
    std::uint64_t read(std::uint64_t address) const {
        const Frame* const frame = frame_at(address / kBytesPerTable);
        return frame == nullptr ? 0 : frame->read(index_of(address));
    }
    /// Throws OperationError when more than kMostLines lines would be in use.
    void write(std::uint64_t address, std::uint64_t raw);
    /// Zeroes the 512 entries of the table at `table`.
    void clear_table(std::uint64_t table);

    std::uint64_t digest() const { return digest_; }
    bool operator==(const TableMemory& other) const;

private:
    static constexpr std::uint64_t kEntriesPerLine = 8;
    using Line = std::array<std::uint64_t, kEntriesPerLine>;

    /// 4 KiB of memory.
    struct Frame {
        std::uint64_t held{};           ///< bit n: line n is among `lines`
        std::shared_ptr<Line[]> lines;  ///< in order; with room for a power of two

        std::uint64_t read(std::size_t index) const {
            const std::size_t line = index / kEntriesPerLine;
            if ((held >> line & 1) == 0) return 0;
            return lines.get()[place_of(line)][index % kEntriesPerLine];
        }
        std::size_t place_of(std::size_t line) const;
    };
    struct Frames {
        std::vector<Frame> tables{};  ///< of the arena of paging structures, by frame number
        std::unordered_map<std::uint64_t, Frame> elsewhere{};
    };

    static std::size_t index_of(std::uint64_t address) {
        return static_cast<std::size_t>(address % kBytesPerTable / kBytesPerEntry);
    }
    const Frame* frame_at(std::uint64_t number) const {
        const std::uint64_t in_arena = number - kTableArena.first / kBytesPerTable;
        if (in_arena < frames_->tables.size()) {
            return &frames_->tables[static_cast<std::size_t>(in_arena)];
        }
        if (frames_->elsewhere.empty()) return nullptr;
        const auto found = frames_->elsewhere.find(number);
        return found == frames_->elsewhere.end() ? nullptr : &found->second;
    }
    Frame& own_frame(std::uint64_t number);
    Line& own_line(Frame& frame, std::size_t line);
    static bool same_entries(const Frame* one, const Frame* other);
    static bool has_all(const Frames& frames, const TableMemory& memory);

    std::shared_ptr<Frames> frames_;
    std::size_t lines_{};  ///< held by all frames
    std::uint64_t digest_{};
};

}  // namespace nestwalk
