#pragma once

// The binary form of traces (.nwb), version 1, byte by byte: docs/trace-format.md has it in words.
// A header, blocks of records, an end with an index of the blocks, a trailer that says where the
// end is. Numbers are little-endian. Everything has a checksum, XXH3 of 64 bits over the bytes as
// they are stored: a damaged block is refused before it is decompressed, and hashing what is
// compressed costs a tenth of what hashing its content would.

#include "traces/packed_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestwalk::nwb {

using namespace std::string_view_literals;

/// A byte that is no text, the name, and the line ends that transfers of text files spoil.
inline constexpr std::string_view kMagic = "\x89NWB\r\n\x1a\n"sv;
inline constexpr std::string_view kBlockMagic = "NWBb"sv;
inline constexpr std::string_view kEndMagic = "NWBe"sv;
inline constexpr std::string_view kTrailerMagic = "NWBend\r\n"sv;
inline constexpr std::uint32_t kVersion = 1;

inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kLongestTool = 40;
inline constexpr std::size_t kSectionBytes = 32;
inline constexpr std::size_t kChecksumBytes = 8;
inline constexpr std::size_t kTrailerBytes = 16;

/// What one block holds at most: records, and bytes before and after compression. A reader needs no
/// more memory than that, whatever a file claims.
inline constexpr std::uint32_t kMostRecords = 65536;
inline constexpr std::size_t kMostBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMostStored = kMostBytes + kMostBytes / 64;
/// A writer ends a block whose script has grown to this; one more record fits in any case.
inline constexpr std::size_t kFullScript = std::size_t{1} << 20;
inline constexpr std::size_t kLongestRecord = (std::size_t{1} << 20) + (std::size_t{1} << 16);
static_assert(8 * kMostRecords + kFullScript + 2 * kLongestRecord < kMostBytes);

/// Entries of the index. A longer trace has every second block in it, every fourth, and so on.
inline constexpr std::size_t kMostIndexEntries = 65536;

/// What begins a block and the end.
struct Section {
    enum class Kind : std::uint8_t { kBlock, kEnd };

    Kind kind{};
    std::uint32_t stored{};    ///< bytes of payload that follow, compressed
    std::uint32_t bytes{};     ///< the same decompressed
    std::uint32_t records{};   ///< those in `repeat` blocks included; of the end: index entries
    std::uint32_t accesses{};  ///< how many of them the payload begins with as PackedAccess
    std::uint32_t depth{};     ///< `repeat` blocks that are open where it begins
    std::uint64_t first{};     ///< top-level records that begin before it
};

/// The payload of a block goes on with segments: one of these bytes, then as said, numbers as
/// varints. Differences are from the value before in the block, 0 at first, and zigzag.
enum class Segment : std::uint8_t {
    kPlain = 0,  ///< N: the next N of the packed accesses
    kTimed = 1,  ///< N: the same; N differences of `t`
    kLong = 2,   ///< N; N times: flags (a byte), bytes, difference of address, count, stride, [t]
    kText = 3,   ///< N; N times: length, a line of the text form
    kOpen = 4,   ///< iterations: a `repeat` begins
    kOpenTimed = 5,  ///< iterations, difference of `t`
    kClose = 6,      ///< it ends
};

/// Flags of a long access: as the low bits of a PackedAccess, then whether it has a `t`.
inline constexpr std::uint8_t kLongHasTime = 0x80;

/// The payload of the end: this, then the index, 16 bytes an entry.
struct Summary {
    std::uint64_t records{};  ///< those in `repeat` blocks included, once
    std::uint64_t blocks{};
    std::uint64_t page_sizes{};  ///< in bytes, ored: what `map` and `host-map` records install
};
inline constexpr std::size_t kSummaryBytes = 24;

struct IndexEntry {
    std::uint64_t offset{};  ///< of a block that begins at top level
    std::uint64_t first{};   ///< its Section::first
};
inline constexpr std::size_t kIndexEntryBytes = 16;

std::uint64_t checksum(std::string_view bytes);

std::string encode_header(std::string_view tool);
std::array<char, kSectionBytes> encode(const Section& section);
std::array<char, kTrailerBytes> encode_trailer(std::uint64_t end_offset);

/// The tool that wrote it, or nothing if the checksum does not hold.
std::optional<std::string> decode_tool(std::string_view header);
/// Of the first bytes of a header, whatever the version.
std::uint32_t decode_version(std::string_view header);
/// Nothing if it is none, or claims what no block can have.
std::optional<Section> decode_section(std::string_view bytes);
/// Where the end is, or nothing.
std::optional<std::uint64_t> decode_trailer(std::string_view bytes);

void append_u64(std::string& to, std::uint64_t value);
void append_varint(std::string& to, std::uint64_t value);
void append_accesses(std::string& to, std::span<const PackedAccess> accesses);
/// Makes of accesses as they are stored, at `accesses`, such of this machine, in place. False if
/// one of them is not valid.
bool load_accesses(std::span<PackedAccess> accesses);

constexpr std::uint64_t zigzag(std::uint64_t difference) {
    return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

}  // namespace nestwalk::nwb
