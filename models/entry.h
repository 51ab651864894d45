#pragma once

// One 8-byte paging-structure entry in its architectural format, and what a walker reads out of it.
// Formats: SDM "4-Level Paging and 5-Level Paging" and "EPT Translation Mechanism"; an NPT uses the
// ordinary format (APM "Nested Paging").

#include "models/control_flags.h"
#include "models/page_size.h"

#include <cstdint>

namespace nestwalk {

enum class EntryFormat : std::uint8_t { kOrdinary, kEpt };

/// Physical-address width of the modelled processors (MAXPHYADDR): bits 51:48 of an entry are
/// reserved.
inline constexpr int kPhysicalAddressBits = 48;

/// Bits of the two formats. Bits 52 and 53 are ignored by hardware; the page tables' writer uses
/// them.
namespace entry_bit {
inline constexpr std::uint64_t kPresent = 1u << 0;
inline constexpr std::uint64_t kWritable = 1u << 1;
inline constexpr std::uint64_t kUser = 1u << 2;
inline constexpr std::uint64_t kAccessed = 1u << 5;
inline constexpr std::uint64_t kDirty = 1u << 6;
inline constexpr std::uint64_t kLarge = 1u << 7;
inline constexpr std::uint64_t kGlobal = 1u << 8;
inline constexpr std::uint64_t kEptRead = 1u << 0;
inline constexpr std::uint64_t kEptWrite = 1u << 1;
inline constexpr std::uint64_t kEptExecute = 1u << 2;
inline constexpr std::uint64_t kEptAccessed = 1u << 8;
inline constexpr std::uint64_t kEptDirty = 1u << 9;
inline constexpr std::uint64_t kReserved = std::uint64_t{1} << 51;
/// The frame, of a page or of a table, came from the frame allocator and goes back to it.
inline constexpr std::uint64_t kFrameOwned = std::uint64_t{1} << 52;
/// Software unmapped the page: it faults, and is not mapped on first touch again.
inline constexpr std::uint64_t kUnmapped = std::uint64_t{1} << 53;
inline constexpr std::uint64_t kNoExecute = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kTarget = 0x000f'ffff'ffff'f000;
inline constexpr std::uint64_t kReservedTarget =
    kTarget & ~((std::uint64_t{1} << kPhysicalAddressBits) - 1);
/// What the software that wrote the entry means, whether it set a reserved bit since or not.
inline constexpr std::uint64_t kAddress = kTarget & ~kReservedTarget;
}  // namespace entry_bit

/// What an entry says, whatever its format. `misformed` is a reserved bit set (ordinary format) or
/// a misconfiguration (EPT): nothing is ever cached from such an entry.
struct DecodedEntry {
    bool present{};
    bool misformed{};
    bool leaf{};
    bool readable{};
    bool writable{};
    bool user{};
    bool no_execute{};
    bool accessed{};
    bool dirty{};
    bool global{};
    std::uint64_t target{};
};

/// Reads `raw`, found in a table of `level` (1 to 5). `flags` gives EFER.NXE: without it, bit 63 of
/// an ordinary entry is reserved.
DecodedEntry decode_entry(std::uint64_t raw, EntryFormat format, int level, ControlFlags flags);

/// `raw` with its accessed bit (and dirty bit) set.
std::uint64_t with_accessed(std::uint64_t raw, EntryFormat format);
std::uint64_t with_dirty(std::uint64_t raw, EntryFormat format);

}  // namespace nestwalk
