#pragma once

// What an array compares before it looks at an entry: one word that holds the page, what kind of
// mapping it is, and a hash of the address space. Two mappings with different tags are never found
// by the same query; with equal ones nearly always are.

#include "models/mapping.h"

#include <cstdint>

namespace nestwalk {

class MappingTag {
public:
    /// The page of a tag is above this bit.
    static constexpr int kPageShift = 19;
    /// The tag of no mapping, and not that of a way that holds none.
    static constexpr std::uint64_t kNone = 1;
    /// A PCID in the place of which global entries have this: not one of the 4096.
    static constexpr std::uint64_t kAnyPcid = kPcidLimit;

    static constexpr std::uint64_t of(const Mapping& mapping) {
        return of(mapping.key, mapping.global ? kAnyPcid : mapping.key.pcid.value());
    }
    static constexpr std::uint64_t of(const MappingKey& key) { return of(key, key.pcid.value()); }
    /// The tag of global entries that a query finds besides.
    static constexpr std::uint64_t global(const MappingKey& key) { return of(key, kAnyPcid); }
    /// True if the tags are of the same page and kind, whatever their address spaces.
    static constexpr bool same_page(std::uint64_t one, std::uint64_t other) {
        return (one ^ other) >> kHashBits == 0;
    }
    static constexpr int level(std::uint64_t tag) {
        return static_cast<int>(tag >> kLevelShift & 7);
    }
    static constexpr MappingRole role(std::uint64_t tag) {
        return static_cast<MappingRole>(tag >> kRoleShift & 1);
    }
    static constexpr MappingKind kind(std::uint64_t tag) {
        return static_cast<MappingKind>(tag >> kHashBits & 3);
    }
    /// The first address that a mapping of this tag, not coalesced, is for.
    static constexpr std::uint64_t address(std::uint64_t tag) {
        const int shift = level_shift(level(tag));
        const std::uint64_t from_top = tag & ~kBelowPage;  // the page, its highest kept bit on top
        if (shift >= kPageShift) return page(tag) << shift;
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(from_top) >> kPageShift)
               << shift;
    }
    /// The lowest bits of key.page, as many as a canonical address makes different.
    static constexpr std::uint64_t page(std::uint64_t tag) { return tag >> kPageShift; }
    static constexpr std::uint64_t with_page(std::uint64_t tag, std::uint64_t page) {
        return (tag & kBelowPage) | page << kPageShift;
    }

private:
    // From the top: 45 bits of the page (57-bit linear addresses, 4-KiB pages), three of the level,
    // which is never 0, the span, the role, two of the kind, and the hash.
    static constexpr std::uint64_t kBelowPage = (std::uint64_t{1} << kPageShift) - 1;
    static constexpr int kHashBits = 12;
    static constexpr int kRoleShift = 14;
    static constexpr int kSpanShift = 15;
    static constexpr int kLevelShift = 16;

    static constexpr std::uint64_t of(const MappingKey& key, std::uint64_t pcid) {
        const std::uint64_t space =
            (key.ep4ta.value() * 0xff51'afd7'ed55'8ccd) ^ (std::uint64_t{key.context} << 13 | pcid);
        const std::uint64_t hash = space * 0x9e37'79b9'7f4a'7c15 >> (64 - kHashBits);
        return key.page << kPageShift | std::uint64_t{key.level} << kLevelShift |
               std::uint64_t{key.span != 0} << kSpanShift |
               static_cast<std::uint64_t>(key.role) << kRoleShift |
               static_cast<std::uint64_t>(key.kind) << kHashBits | hash;
    }
};

}  // namespace nestwalk
