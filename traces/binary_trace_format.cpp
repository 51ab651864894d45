#include "traces/binary_trace_format.h"
#include "traces/little_endian.h"

#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nestwalk::nwb {
namespace {

template <typename Number>
void put(char* to, Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i) to[i] = static_cast<char>(value >> (8 * i));
}

constexpr std::size_t kToolAt = 16;
constexpr std::size_t kHeaderChecksumAt = kToolAt + kLongestTool;
static_assert(kHeaderChecksumAt + kChecksumBytes == kHeaderBytes);

}  // namespace

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void append_u64(std::string& to, std::uint64_t value) {
    std::array<char, 8> bytes{};
    put(bytes.data(), value);
    to.append(bytes.data(), bytes.size());
}

void append_varint(std::string& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
    to += static_cast<char>(value);
}

void append_accesses(std::string& to, std::span<const PackedAccess> accesses) {
    if constexpr (std::endian::native == std::endian::little) {
        to.append(reinterpret_cast<const char*>(accesses.data()), accesses.size_bytes());
    } else {
        for (const PackedAccess access : accesses) append_u64(to, access.word());
    }
}

bool load_accesses(std::span<PackedAccess> accesses) {
    if constexpr (std::endian::native != std::endian::little) {
        for (PackedAccess& access : accesses)
            access = PackedAccess(little_endian<std::uint64_t>(
                {reinterpret_cast<const char*>(&access), sizeof access}, 0));
    }
    std::uint64_t invalid = 0;
    for (const PackedAccess access : accesses) invalid |= access.invalid_bits();
    return invalid == 0;
}

std::string encode_header(std::string_view tool) {
    tool = tool.substr(0, kLongestTool);
    std::string header(kHeaderBytes, '\0');
    header.replace(0, kMagic.size(), kMagic);
    put(header.data() + 8, kVersion);
    put(header.data() + 12, static_cast<std::uint32_t>(tool.size()));
    header.replace(kToolAt, tool.size(), tool);
    put(header.data() + kHeaderChecksumAt, checksum({header.data(), kHeaderChecksumAt}));
    return header;
}

std::uint32_t decode_version(std::string_view header) {
    return little_endian<std::uint32_t>(header, 8);
}

std::optional<std::string> decode_tool(std::string_view header) {
    if (!header.starts_with(kMagic)) return std::nullopt;
    if (little_endian<std::uint64_t>(header, kHeaderChecksumAt) !=
        checksum(header.substr(0, kHeaderChecksumAt)))
        return std::nullopt;
    const auto size = little_endian<std::uint32_t>(header, 12);
    if (size > kLongestTool) return std::nullopt;
    return std::string(header.substr(kToolAt, size));
}

std::array<char, kSectionBytes> encode(const Section& section) {
    std::array<char, kSectionBytes> bytes{};
    const bool is_block = section.kind == Section::Kind::kBlock;
    std::memcpy(bytes.data(), (is_block ? kBlockMagic : kEndMagic).data(), 4);
    put(bytes.data() + 4, section.stored);
    put(bytes.data() + 8, section.bytes);
    put(bytes.data() + 12, section.records);
    put(bytes.data() + 16, section.accesses);
    put(bytes.data() + 20, section.depth);
    put(bytes.data() + 24, section.first);
    return bytes;
}

std::optional<Section> decode_section(std::string_view bytes) {
    const bool is_block = bytes.starts_with(kBlockMagic);
    if (!is_block && !bytes.starts_with(kEndMagic)) return std::nullopt;
    const Section section{is_block ? Section::Kind::kBlock : Section::Kind::kEnd,
                          little_endian<std::uint32_t>(bytes, 4),
                          little_endian<std::uint32_t>(bytes, 8),
                          little_endian<std::uint32_t>(bytes, 12),
                          little_endian<std::uint32_t>(bytes, 16),
                          little_endian<std::uint32_t>(bytes, 20),
                          little_endian<std::uint64_t>(bytes, 24)};
    if (section.stored > kMostStored || section.bytes > kMostBytes) return std::nullopt;
    static_assert(kMostIndexEntries == kMostRecords);
    if (section.records > kMostRecords || section.accesses > section.records) return std::nullopt;
    const std::uint64_t least =
        is_block ? 8 * std::uint64_t{section.accesses}
                 : kSummaryBytes + kIndexEntryBytes * std::uint64_t{section.records};
    if (is_block ? section.bytes <= least : section.bytes != least) return std::nullopt;
    return section;
}

std::array<char, kTrailerBytes> encode_trailer(std::uint64_t end_offset) {
    std::array<char, kTrailerBytes> bytes{};
    put(bytes.data(), end_offset);
    std::memcpy(bytes.data() + 8, kTrailerMagic.data(), kTrailerMagic.size());
    return bytes;
}

std::optional<std::uint64_t> decode_trailer(std::string_view bytes) {
    if (bytes.substr(8) != kTrailerMagic) return std::nullopt;
    return little_endian<std::uint64_t>(bytes, 0);
}

}  // namespace nestwalk::nwb
