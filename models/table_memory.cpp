#include "models/table_memory.h"
#include "models/digest.h"
#include "models/operation_error.h"

#include <algorithm>

namespace nestwalk {
namespace {

std::uint64_t digest_of(std::uint64_t address, std::uint64_t raw) {
    return raw == 0 ? 0 : mix(address, raw);
}

std::size_t count_bits(std::uint64_t bits) {
    return static_cast<std::size_t>(__builtin_popcountll(bits));
}

bool is_power_of_two(std::size_t count) { return (count & (count - 1)) == 0; }

}  // namespace

TableMemory::TableMemory() : frames_(std::make_shared<Frames>()) {}

std::size_t TableMemory::Frame::place_of(std::size_t line) const {
    // Pages are mostly touched upwards: where the first lines are held, the place is the line.
    if ((held & (held + 1)) == 0) return line;
    return count_bits(held & ((std::uint64_t{1} << line) - 1));
}

/// The frame, to be written: what copies share is copied first.
TableMemory::Frame& TableMemory::own_frame(std::uint64_t number) {
    if (frames_.use_count() > 1) frames_ = std::make_shared<Frames>(*frames_);
    const std::uint64_t first = kTableArena.first / kBytesPerTable;
    const std::uint64_t end = kTableArena.end / kBytesPerTable;
    const bool in_arena = number >= first && number < end;
    if (in_arena && number - first >= frames_->tables.size()) {
        frames_->tables.resize(static_cast<std::size_t>(number - first) + 1);
    }
    Frame& frame = in_arena ? frames_->tables[static_cast<std::size_t>(number - first)]
                            : frames_->elsewhere[number];
    if (frame.lines.use_count() > 1) {
        const std::size_t count = count_bits(frame.held);
        std::size_t room = 1;
        while (room < count) room *= 2;
        const std::shared_ptr<Line[]> own(new Line[room]);
        std::copy_n(frame.lines.get(), count, own.get());
        frame.lines = own;
    }
    return frame;
}

TableMemory::Line& TableMemory::own_line(Frame& frame, std::size_t line) {
    const std::uint64_t bit = std::uint64_t{1} << line;
    if ((frame.held & bit) != 0) return frame.lines.get()[frame.place_of(line)];
    if (lines_ == kMostLines) {
        throw OperationError("the page tables outgrow the model (16 Mi entries)");
    }
    ++lines_;
    const std::size_t count = count_bits(frame.held);
    const std::size_t place = count_bits(frame.held & (bit - 1));
    Line* const old = frame.lines.get();
    if (is_power_of_two(count)) {  // 0 included: no room is left
        const std::shared_ptr<Line[]> larger(new Line[std::max<std::size_t>(1, 2 * count)]);
        std::copy_n(old, place, larger.get());
        std::copy_n(old + place, count - place, larger.get() + place + 1);
        frame.lines = larger;
    } else {
        std::copy_backward(old + place, old + count, old + count + 1);
    }
    frame.held |= bit;
    return frame.lines.get()[place] = Line{};
}

void TableMemory::write(std::uint64_t address, std::uint64_t raw) {
    const std::uint64_t before = read(address);
    if (before == raw) return;
    const std::size_t index = index_of(address);
    Line& line = own_line(own_frame(address / kBytesPerTable), index / kEntriesPerLine);
    line[index % kEntriesPerLine] = raw;
    digest_ ^= digest_of(address, before) ^ digest_of(address, raw);
}

void TableMemory::clear_table(std::uint64_t table) {
    const Frame* const held = frame_at(table / kBytesPerTable);
    if (held == nullptr || held->held == 0) return;
    for (std::size_t index = 0; index < kEntriesPerTable; ++index) {
        digest_ ^= digest_of(table + index * kBytesPerEntry, held->read(index));
    }
    lines_ -= count_bits(held->held);
    own_frame(table / kBytesPerTable) = {};
}

// --- Equality -----------------------------------------------------------------------------------

/// A frame that is not there, and a line that is not held, are full of zeroes.
bool TableMemory::same_entries(const Frame* one, const Frame* other) {
    if (one == nullptr) std::swap(one, other);
    if (one == nullptr) return true;
    if (other != nullptr && one->lines == other->lines && one->held == other->held) return true;
    for (std::size_t index = 0; index < kEntriesPerTable; ++index) {
        if (one->read(index) != (other == nullptr ? 0 : other->read(index))) return false;
    }
    return true;
}

/// True if the memory has what is in the frames.
bool TableMemory::has_all(const Frames& frames, const TableMemory& memory) {
    std::uint64_t number = kTableArena.first / kBytesPerTable;
    for (const Frame& frame : frames.tables) {
        if (!same_entries(&frame, memory.frame_at(number++))) return false;
    }
    return std::all_of(frames.elsewhere.begin(), frames.elsewhere.end(), [&](const auto& frame) {
        return same_entries(&frame.second, memory.frame_at(frame.first));
    });
}

bool TableMemory::operator==(const TableMemory& other) const {
    if (frames_ == other.frames_) return true;
    return digest_ == other.digest_ && has_all(*frames_, other) && has_all(*other.frames_, *this);
}

}  // namespace nestwalk
