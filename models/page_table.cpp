#include "models/page_table.h"
#include "models/hex.h"
#include "models/operation_error.h"

#include <string>

namespace nestwalk {
namespace {

using namespace entry_bit;

constexpr std::uint64_t kOrdinaryRights = kWritable | kUser | kNoExecute;
constexpr std::uint64_t kEptRights = kEptRead | kEptWrite | kEptExecute;

std::uint64_t rights_bits(LeafFlags flags, EntryFormat format) {
    if (format == EntryFormat::kEpt) {
        return (flags.readable ? kEptRead : 0) | (flags.writable ? kEptWrite : 0) |
               (flags.no_execute ? 0 : kEptExecute);
    }
    return (flags.writable ? kWritable : 0) | (flags.user ? kUser : 0) |
           (flags.no_execute ? kNoExecute : 0);
}

void set_bit(std::uint64_t& raw, std::uint64_t bit, std::optional<bool> value) {
    if (!value) return;
    raw = *value ? raw | bit : raw & ~bit;
}

}  // namespace

std::uint64_t PageTable::new_root(TableMemory& memory, FrameAllocator& frames) {
    const std::uint64_t table = frames.take_table();
    memory.clear_table(table);
    return table;
}

std::uint64_t PageTable::take_table() { return new_root(memory_, frames_); }

void PageTable::write(std::uint64_t location, std::uint64_t raw) {
    if (written_ != nullptr) written_->push_back(location);
    memory_.write(location, raw);
}

bool PageTable::is_leaf(std::uint64_t raw, int level) const {
    if (raw == 0 || raw == kUnmapped) return false;
    return level == 1 || (raw & kLarge) != 0;
}

bool PageTable::is_table(std::uint64_t raw, int level) const {
    const std::uint64_t present = root_.format == EntryFormat::kEpt ? kEptRights : kPresent;
    return level > 1 && (raw & present) != 0 && (raw & kLarge) == 0;
}

std::uint64_t PageTable::leaf_bits(LeafFlags flags, int level) const {
    std::uint64_t raw = rights_bits(flags, root_.format) | (level > 1 ? kLarge : 0);
    if (initial_bits_ == InitialBits::kAccessedAndDirty) {
        raw = with_dirty(with_accessed(raw, root_.format), root_.format);
    }
    if (root_.format == EntryFormat::kEpt) return raw;
    return raw | kPresent | (flags.global ? kGlobal : 0);
}

std::uint64_t PageTable::table_bits(std::uint64_t table) const {
    const std::uint64_t raw =
        table | kFrameOwned |
        (root_.format == EntryFormat::kEpt ? kEptRights : kPresent | kWritable | kUser);
    return initial_bits_ == InitialBits::kAccessedAndDirty ? with_accessed(raw, root_.format) : raw;
}

EntrySlot PageTable::find(std::uint64_t address) const {
    std::uint64_t table = root_.root;
    for (int level = root_.levels;; --level) {
        const std::uint64_t location = entry_location(table, address, level);
        const std::uint64_t raw = memory_.read(location);
        if (!is_table(raw, level)) return {location, level, raw};
        table = raw & kAddress;
    }
}

bool PageTable::maps(std::uint64_t address) const {
    const EntrySlot slot = find(address);
    // An EPT entry has no present bit but its rights.
    const bool present = root_.format == EntryFormat::kEpt || (slot.raw & kPresent) != 0;
    return is_leaf(slot.raw, slot.level) && present;
}

bool PageTable::untouched(std::uint64_t address) const { return find(address).raw == 0; }

PageSize PageTable::largest_free(std::uint64_t address) const {
    const int level = find(address).level;
    return page_size_of_level(level > 3 ? 3 : level);
}

EntrySlot PageTable::reach(std::uint64_t address, int level) {
    std::uint64_t table = root_.root;
    for (int at = root_.levels; at > level; --at) {
        EntrySlot slot{entry_location(table, address, at), at, 0};
        slot.raw = memory_.read(slot.location);
        if (is_leaf(slot.raw, at)) {
            split_leaf(slot);
            slot.raw = memory_.read(slot.location);
        }
        if (!is_table(slot.raw, at)) {
            slot.raw = table_bits(take_table());
            write(slot.location, slot.raw);
        }
        table = slot.raw & kAddress;
    }
    const std::uint64_t location = entry_location(table, address, level);
    return {location, level, memory_.read(location)};
}

/// Gives back the frame that the entry owns and, if it is a table's, what that table's entries own.
/// An entry that was edited to point elsewhere owns nothing, so no frame is ever given back twice.
void PageTable::release(std::uint64_t raw, int level) {
    if ((raw & kFrameOwned) == 0) return;
    const std::uint64_t frame = raw & kAddress;
    if (level == 1 || (raw & kLarge) != 0) {
        if (level <= 3) frames_.give_back(page_size_of_level(level), frame);
        return;
    }
    for (std::uint64_t index = 0; index < kEntriesPerTable; ++index) {
        const std::uint64_t location = frame + index * kBytesPerEntry;
        const std::uint64_t entry = memory_.read(location);
        if ((entry & kFrameOwned) == 0) continue;
        // It stays until the frame is reused: stale paging-structure entries may still lead here.
        memory_.write(location, entry & ~kFrameOwned);
        release(entry, level - 1);
    }
    frames_.give_back_table(frame);
}

void PageTable::map(std::uint64_t address, PageSize size, std::uint64_t frame, LeafFlags flags) {
    const EntrySlot slot = reach(address, leaf_level(size));
    write(slot.location, frame | leaf_bits(flags, slot.level));
    release(slot.raw, slot.level);
}

void PageTable::map_free_frame(std::uint64_t address, PageSize size, LeafFlags flags) {
    const EntrySlot slot = reach(address, leaf_level(size));
    // The new frame is taken before the old one is given back, so that the page really moves.
    const std::uint64_t frame = frames_.take(size);
    write(slot.location, frame | leaf_bits(flags, slot.level) | kFrameOwned);
    release(slot.raw, slot.level);
}

EntrySlot PageTable::existing_leaf(std::uint64_t address, const char* operation) const {
    const EntrySlot slot = find(address);
    if (!is_leaf(slot.raw, slot.level)) {
        throw OperationError(std::string(operation) + ": no page is mapped at " + to_hex(address));
    }
    return slot;
}

bool PageTable::erase(std::uint64_t address, int level) {
    std::uint64_t table = root_.root;
    for (int at = root_.levels;; --at) {
        const std::uint64_t location = entry_location(table, address, at);
        const std::uint64_t raw = memory_.read(location);
        if (raw == 0) return false;
        if (at == level || !is_table(raw, at)) {
            write(location, 0);
            release(raw, at);
            return true;
        }
        table = raw & kAddress;
    }
}

void PageTable::unmap(std::uint64_t address) {
    EntrySlot slot = find(address);
    if (slot.raw == 0 && slot.level > 1) slot = reach(address, 1);
    write(slot.location, kUnmapped);
    release(slot.raw, slot.level);
}

LeafFlags PageTable::flags_of(std::uint64_t address) const {
    const EntrySlot leaf = existing_leaf(address, "protect");
    ControlFlags nxe;
    nxe.set(ControlFlag::kNxe);
    const DecodedEntry entry = decode_entry(leaf.raw, root_.format, leaf.level, nxe);
    return {.readable = entry.readable,
            .writable = entry.writable,
            .user = entry.user,
            .no_execute = entry.no_execute,
            .global = entry.global};
}

void PageTable::protect(std::uint64_t address, LeafFlags flags) {
    const EntrySlot leaf = existing_leaf(address, "protect");
    const bool ept = root_.format == EntryFormat::kEpt;
    const std::uint64_t kept = leaf.raw & ~(ept ? kEptRights : kOrdinaryRights);
    write(leaf.location, kept | rights_bits(flags, root_.format));
}

void PageTable::split_leaf(const EntrySlot& leaf) {
    const std::uint64_t table = take_table();
    const int below = leaf.level - 1;
    const std::uint64_t first = leaf.raw & kTarget;
    // A piece of a large frame is not a frame of its own.
    std::uint64_t attributes = leaf.raw & ~(kTarget | kFrameOwned);
    if (below == 1) attributes &= ~kLarge;
    for (std::uint64_t index = 0; index < kEntriesPerTable; ++index) {
        const std::uint64_t target = (first + index * level_bytes(below)) & kTarget;
        memory_.write(table + index * kBytesPerEntry, attributes | target);
    }
    write(leaf.location, table_bits(table));
}

void PageTable::split(std::uint64_t address) {
    const EntrySlot leaf = existing_leaf(address, "split");
    if (leaf.level == 1)
        throw OperationError("split: " + to_hex(address) + " is mapped by a 4K page");
    split_leaf(leaf);
}

void PageTable::collapse(std::uint64_t address) {
    const EntrySlot leaf = existing_leaf(address, "collapse");
    if (leaf.level >= 3) {
        throw OperationError("collapse: " + to_hex(address) + " is mapped by a 1G page already");
    }
    const EntrySlot slot = reach(address, leaf.level + 1);
    const std::uint64_t attributes = leaf.raw & ~(kTarget | kFrameOwned);
    const std::uint64_t frame = frames_.take(page_size_of_level(slot.level));
    write(slot.location, frame | attributes | kLarge | kFrameOwned);
    release(slot.raw, slot.level);
}

void PageTable::edit(std::uint64_t address, const EntryEdit& edit) {
    if (edit.level > root_.levels) {
        throw OperationError("set-entry: the table has " + std::to_string(root_.levels) +
                             " levels");
    }
    std::uint64_t table = root_.root;
    for (int level = root_.levels; level > edit.level; --level) {
        const std::uint64_t raw = memory_.read(entry_location(table, address, level));
        if (!is_table(raw, level)) {
            throw OperationError("set-entry: " + to_hex(address) +
                                 " has no paging structure of level " + std::to_string(level - 1));
        }
        table = raw & kAddress;
    }
    const std::uint64_t location = entry_location(table, address, edit.level);
    const bool ept = root_.format == EntryFormat::kEpt;
    const std::uint64_t before = memory_.read(location);
    std::uint64_t raw = before;
    set_bit(raw, ept ? kEptRights : kPresent, edit.present);
    set_bit(raw, ept ? kEptWrite : kWritable, edit.writable);
    if (ept) {
        if (edit.no_execute) set_bit(raw, kEptExecute, !*edit.no_execute);
    } else {
        set_bit(raw, kUser, edit.user);
        set_bit(raw, kGlobal, edit.global);
        set_bit(raw, kNoExecute, edit.no_execute);
    }
    set_bit(raw, ept ? kEptAccessed : kAccessed, edit.accessed);
    set_bit(raw, ept ? kEptDirty : kDirty, edit.dirty);
    set_bit(raw, kLarge, edit.large);
    set_bit(raw, kReserved, edit.reserved);
    if (edit.to) raw = (raw & ~kTarget) | (*edit.to & kTarget);
    if (edit.to || ((before ^ raw) & kLarge) != 0) raw &= ~kFrameOwned;
    write(location, raw);
}

}  // namespace nestwalk
