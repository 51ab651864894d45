#include "models/entry.h"

namespace nestwalk {
namespace {

/// Bit 12 of an ordinary large leaf is PAT; an EPT keeps the memory type elsewhere and reserves it.
constexpr std::uint64_t kPatOfLargeLeaf = 1u << 12;

bool leaf_is_misaligned(std::uint64_t raw, int level) {
    return (raw & entry_bit::kTarget & (level_bytes(level) - 1)) != 0;
}

DecodedEntry decode_ordinary(std::uint64_t raw, int level, ControlFlags flags) {
    using namespace entry_bit;
    DecodedEntry entry;
    entry.present = (raw & kPresent) != 0;
    const bool large = (raw & kLarge) != 0 && level > 1;
    entry.leaf = level == 1 || large;
    entry.readable = entry.present;
    entry.writable = (raw & kWritable) != 0;
    entry.user = (raw & kUser) != 0;
    entry.no_execute = (raw & kNoExecute) != 0;
    entry.accessed = (raw & kAccessed) != 0;
    entry.dirty = (raw & kDirty) != 0;
    entry.global = (raw & kGlobal) != 0;
    entry.target = raw & kTarget;
    entry.misformed = (raw & kReservedTarget) != 0 || (large && level > 3) ||
                      (large && level <= 3 && leaf_is_misaligned(raw & ~kPatOfLargeLeaf, level)) ||
                      (entry.no_execute && !flags.test(ControlFlag::kNxe));
    return entry;
}

/// Bits that must be 0 in an EPT entry: 6:3 of one that references a table, memory types that do
/// not exist in a leaf (SDM "EPT Misconfigurations").
bool ept_type_is_reserved(std::uint64_t raw, bool leaf) {
    const std::uint64_t memory_type = (raw >> 3) & 7;
    if (leaf) return memory_type == 2 || memory_type == 3 || memory_type == 7;
    return ((raw >> 3) & 0xf) != 0;
}

DecodedEntry decode_ept(std::uint64_t raw, int level) {
    using namespace entry_bit;
    DecodedEntry entry;
    entry.readable = (raw & kEptRead) != 0;
    entry.writable = (raw & kEptWrite) != 0;
    entry.no_execute = (raw & kEptExecute) == 0;
    entry.present = (raw & (kEptRead | kEptWrite | kEptExecute)) != 0;
    const bool large = (raw & kLarge) != 0 && level > 1;
    entry.leaf = level == 1 || large;
    entry.user = true;
    entry.accessed = (raw & kEptAccessed) != 0;
    entry.dirty = (raw & kEptDirty) != 0;
    entry.target = raw & kTarget;
    entry.misformed = (entry.writable && !entry.readable) || (raw & kReservedTarget) != 0 ||
                      (large && level > 3) || ept_type_is_reserved(raw, entry.leaf) ||
                      (large && level <= 3 && leaf_is_misaligned(raw, level));
    return entry;
}

}  // namespace

DecodedEntry decode_entry(std::uint64_t raw, EntryFormat format, int level, ControlFlags flags) {
    DecodedEntry entry =
        format == EntryFormat::kEpt ? decode_ept(raw, level) : decode_ordinary(raw, level, flags);
    if (entry.leaf && level <= 3) entry.target = align_down(entry.target, level_bytes(level));
    if (!entry.present) entry.misformed = false;  // the other bits of such an entry are ignored
    return entry;
}

std::uint64_t with_accessed(std::uint64_t raw, EntryFormat format) {
    return raw | (format == EntryFormat::kEpt ? entry_bit::kEptAccessed : entry_bit::kAccessed);
}

std::uint64_t with_dirty(std::uint64_t raw, EntryFormat format) {
    return raw | (format == EntryFormat::kEpt ? entry_bit::kEptDirty : entry_bit::kDirty);
}

}  // namespace nestwalk
