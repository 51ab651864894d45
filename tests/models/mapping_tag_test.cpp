// A query finds what its tag says it may find: mappings that a query matches have the tag of its
// page, and what no query finds together never has the same tag but for the hash of the space.
#include "models/mapping_tag.h"

#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;

namespace {

std::vector<MappingKey> keys() {
    std::vector<MappingKey> keys;
    for (const std::uint64_t page :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x1234567},
          std::uint64_t{0xf'ffff'8000'0000}, (std::uint64_t{1} << 44) - 1}) {
        for (const auto level : std::array<std::uint8_t, 5>{1, 2, 3, 4, 5}) {
            for (const MappingRole role :
                 {MappingRole::kTranslation, MappingRole::kPagingStructure}) {
                for (const MappingKind kind :
                     {MappingKind::kLinear, MappingKind::kCombined, MappingKind::kGuestPhysical}) {
                    for (const auto span : std::array<std::uint8_t, 2>{0, 2}) {
                        keys.push_back({.page = page,
                                        .context = 3,
                                        .pcid = Pcid(7),
                                        .kind = kind,
                                        .role = role,
                                        .level = level,
                                        .span = span});
                    }
                }
            }
        }
    }
    return keys;
}

}  // namespace

TEST_CASE("tags tell pages, levels, spans, roles and kinds apart") {
    for (const MappingKey& one : keys()) {
        for (const MappingKey& other : keys()) {
            REQUIRE(MappingTag::same_page(MappingTag::of(one), MappingTag::of(other)) ==
                    (one == other));
        }
    }
}

TEST_CASE("no tag is 0, and each holds its page") {
    for (const MappingKey& key : keys()) {
        const std::uint64_t tag = MappingTag::of(key);
        CHECK(tag != 0);
        CHECK(MappingTag::page(tag) == (key.page & ((std::uint64_t{1} << 45) - 1)));
        CHECK(MappingTag::with_page(tag, 0x77) == MappingTag::of([&] {
                  MappingKey moved = key;
                  moved.page = 0x77;
                  return moved;
              }()));
    }
}

TEST_CASE("tags depend on the space, those of global mappings on all but the PCID") {
    Mapping mapping;
    mapping.key.pcid = Pcid(1);
    Mapping other = mapping;
    other.key.pcid = Pcid(2);
    CHECK(MappingTag::of(mapping) == MappingTag::of(mapping.key));
    CHECK(MappingTag::of(mapping) != MappingTag::of(other));
    mapping.global = other.global = true;
    CHECK(MappingTag::of(mapping) == MappingTag::of(other));
    CHECK(MappingTag::of(mapping) != MappingTag::of(mapping.key));
    CHECK(MappingTag::same_page(MappingTag::of(mapping), MappingTag::of(mapping.key)));
    other.key.context = 1;
    CHECK(MappingTag::of(mapping) != MappingTag::of(other));
    other = mapping;
    other.key.ep4ta = Ep4ta(0x1234);
    CHECK(MappingTag::of(mapping) != MappingTag::of(other));
}
