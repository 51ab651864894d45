// Editing a page table: what software writes, entry by entry, and which frames it takes and gives
// back.

#include "models/operation_error.h"
#include "models/page_table.h"
#include "tests/models/test_system.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kAddress = 0x000f'ffff'ffff'f000;
constexpr std::uint64_t kPresent = 1, kWritable = 2, kUser = 4, kAccessed = 1 << 5, kDirty = 1 << 6,
                        kLarge = 1 << 7, kGlobal = 1 << 8;
constexpr std::uint64_t kNoExecute = std::uint64_t{1} << 63;

/// One table with its memory, and a reader that follows it without the code under test.
struct Fixture {
    explicit Fixture(int table_levels = 4, EntryFormat format = EntryFormat::kOrdinary,
                     InitialBits bits = InitialBits::kAccessedAndDirty)
        : levels(table_levels),
          root(PageTable::new_root(memory, frames)),
          table({root, levels, format}, memory, frames, bits) {}

    /// Entry of `level` on the path of `va`.
    std::uint64_t entry(std::uint64_t va, int level) const {
        std::uint64_t at = root;
        for (int now = levels;; --now) {
            const std::uint64_t raw = memory.read(at + 8 * ((va >> (12 + 9 * (now - 1))) & 511));
            if (now == level) return raw;
            at = raw & kAddress;
        }
    }
    std::uint64_t frame(std::uint64_t va, int level = 1) const {
        return entry(va, level) & kAddress;
    }

    TableMemory memory{};
    FrameAllocator frames{};
    int levels{};
    std::uint64_t root{};
    PageTable table;
};

constexpr std::uint64_t kVa = 0x7f12'3456'7000;

}  // namespace

TEST_CASE("page table: mapping writes a leaf and the tables that lead to it") {
    for (const int levels : {4, 5}) {
        Fixture one(levels);
        one.table.map(kVa, PageSize::k4K, 0x1234'5000, {});
        for (int level = levels; level > 1; --level) {
            CHECK((one.entry(kVa, level) & ~kAddress) ==
                  (kPresent | kWritable | kUser | kAccessed | entry_bit::kFrameOwned));
        }
        CHECK(one.entry(kVa, 1) ==
              (0x1234'5000 | kPresent | kWritable | kUser | kAccessed | kDirty));
    }
}

TEST_CASE("page table: the root's level is the number of levels") {
    Fixture four(4);
    four.table.map(kVa, PageSize::k4K, 0x1000, {});
    CHECK(four.memory.read(four.root + 8 * ((kVa >> 39) & 511)) != 0);
    Fixture five(5);
    five.table.map(kVa, PageSize::k4K, 0x1000, {});
    CHECK(five.memory.read(five.root + 8 * ((kVa >> 48) & 511)) != 0);
}

TEST_CASE("page table: large leaves have PS and stand in the PD or the PDPT") {
    Fixture one;
    one.table.map(k2M, PageSize::k2M, 5 * k2M, {});
    one.table.map(k1G, PageSize::k1G, 7 * k1G, {});
    const std::uint64_t bits = kPresent | kWritable | kUser | kAccessed | kDirty | kLarge;
    CHECK(one.entry(k2M, 2) == (5 * k2M | bits));
    CHECK(one.entry(k1G, 3) == (7 * k1G | bits));
}

TEST_CASE("page table: flags become the bits of either format") {
    const LeafFlags strict{.writable = false, .user = false, .no_execute = true, .global = true};
    Fixture ordinary(4, EntryFormat::kOrdinary, InitialBits::kClear);
    ordinary.table.map(kVa, PageSize::k4K, 0x1000, strict);
    CHECK(ordinary.entry(kVa, 1) == (0x1000 | kPresent | kGlobal | kNoExecute));
    CHECK((ordinary.entry(kVa, 2) & kAccessed) == 0);

    Fixture ept(4, EntryFormat::kEpt, InitialBits::kClear);
    ept.table.map(kVa, PageSize::k4K, 0x1000, strict);
    CHECK(ept.entry(kVa, 1) == (0x1000 | 1));  // R, no W, no X
    CHECK((ept.entry(kVa, 2) & ~kAddress) == (7 | entry_bit::kFrameOwned));

    Fixture touched(4, EntryFormat::kEpt);
    touched.table.map(kVa, PageSize::k2M, k2M, {});
    CHECK(touched.entry(kVa, 2) == (k2M | 7 | kLarge | 1 << 8 | 1 << 9));
}

TEST_CASE("page table: frames that are freed are reused last-freed-first") {
    Fixture one;
    for (const std::uint64_t va : {0x1000u, 0x2000u, 0x3000u}) {
        one.table.map_free_frame(va, PageSize::k4K, {});
    }
    const std::uint64_t first = one.frame(0x1000), third = one.frame(0x3000);
    CHECK(first != third);
    one.table.unmap(0x1000);
    one.table.unmap(0x3000);
    one.table.map_free_frame(0x8000, PageSize::k4K, {});
    one.table.map_free_frame(0x9000, PageSize::k4K, {});
    CHECK(one.frame(0x8000) == third);
    CHECK(one.frame(0x9000) == first);
}

TEST_CASE("page table: frames are naturally aligned and distinct") {
    Fixture one;
    for (const PageSize size : {PageSize::k4K, PageSize::k2M, PageSize::k1G}) {
        const std::uint64_t va = k512G * static_cast<std::uint64_t>(leaf_level(size));
        one.table.map_free_frame(va, size, {});
        one.table.map_free_frame(va + page_bytes(size), size, {});
        const std::uint64_t frame = one.frame(va, leaf_level(size));
        CHECK(frame % page_bytes(size) == 0);
        CHECK(one.frame(va + page_bytes(size), leaf_level(size)) == frame + page_bytes(size));
    }
}

TEST_CASE("page table: a frame that was given explicitly is never given back") {
    Fixture one;
    one.table.map(0x1000, PageSize::k4K, 0x1234'5000, {});
    one.table.unmap(0x1000);
    one.table.map_free_frame(0x2000, PageSize::k4K, {});
    CHECK(one.frame(0x2000) != 0x1234'5000);
}

TEST_CASE("page table: mapping a page anew moves it") {
    Fixture one;
    one.table.map_free_frame(0x1000, PageSize::k4K, {});
    const std::uint64_t before = one.frame(0x1000);
    one.table.map_free_frame(0x1000, PageSize::k4K, {});
    CHECK(one.frame(0x1000) != before);
    one.table.map_free_frame(0x2000, PageSize::k4K, {});
    CHECK(one.frame(0x2000) == before);
}

TEST_CASE("page table: an unmapped page is absent, and not untouched") {
    Fixture one;
    CHECK(one.table.untouched(kVa));
    one.table.map(kVa, PageSize::k4K, 0x1000, {});
    CHECK_FALSE(one.table.untouched(kVa));
    one.table.unmap(kVa);
    CHECK((one.entry(kVa, 1) & kPresent) == 0);
    CHECK_FALSE(one.table.untouched(kVa));
    CHECK(one.table.untouched(kVa + k4K));
    one.table.unmap(kVa + k1G);  // never mapped: unmapped all the same
    CHECK_FALSE(one.table.untouched(kVa + k1G));
    CHECK(one.table.untouched(kVa + k1G + k4K));
}

TEST_CASE("page table: unmapping a large page removes all of it") {
    Fixture one;
    one.table.map_free_frame(0, PageSize::k2M, {});
    one.table.unmap(0x5000);
    CHECK((one.entry(0, 2) & kPresent) == 0);
}

TEST_CASE("page table: protecting keeps the frame, G, A and D") {
    Fixture one;
    one.table.map(kVa, PageSize::k4K, 0x1000, {.global = true});
    one.table.protect(kVa, {.writable = false, .user = true, .no_execute = true});
    CHECK(one.entry(kVa, 1) ==
          (0x1000 | kPresent | kUser | kAccessed | kDirty | kGlobal | kNoExecute));
    one.table.protect(kVa, {.writable = true, .user = false});
    CHECK(one.entry(kVa, 1) == (0x1000 | kPresent | kWritable | kAccessed | kDirty | kGlobal));
}

TEST_CASE("page table: collapsing puts one page of the next size in a new frame") {
    Fixture one;
    one.table.map_free_frame(0x1000, PageSize::k4K, {.writable = false});
    one.table.map_free_frame(0x2000, PageSize::k4K, {});
    const std::uint64_t small = one.frame(0x2000);
    one.table.collapse(0x1000);
    CHECK((one.entry(0, 2) & kLarge) != 0);
    CHECK((one.entry(0, 2) & kWritable) == 0);  // the attributes of the page that was named
    CHECK(one.frame(0, 2) % k2M == 0);
    one.table.map_free_frame(k1G, PageSize::k4K, {});
    CHECK(one.frame(k1G) == small);  // the small frames were given back in order

    one.table.collapse(0);  // and 512 pages of 2M to one of 1G
    CHECK((one.entry(0, 3) & kLarge) != 0);
}

TEST_CASE("page table: splitting keeps frame and attributes") {
    Fixture one;
    one.table.map(k1G, PageSize::k1G, 3 * k1G, {.writable = false});
    one.table.split(k1G);
    CHECK(one.entry(k1G + 7 * k2M, 2) ==
          ((3 * k1G + 7 * k2M) | kPresent | kUser | kAccessed | kDirty | kLarge));
    one.table.split(k1G + 7 * k2M);
    CHECK(one.entry(k1G + 7 * k2M + 511 * k4K, 1) ==
          ((3 * k1G + 7 * k2M + 511 * k4K) | kPresent | kUser | kAccessed | kDirty));
    CHECK((one.entry(k1G + 8 * k2M, 2) & kLarge) != 0);  // its neighbour stays large
}

TEST_CASE("page table: a piece of a large frame is not a frame to be used again") {
    Fixture one;
    one.table.map_free_frame(0, PageSize::k2M, {});
    one.table.split(0);
    const std::uint64_t piece = one.frame(0x3000);
    one.table.unmap(0x3000);
    one.table.map_free_frame(k1G, PageSize::k4K, {});
    CHECK(one.frame(k1G) != piece);
}

TEST_CASE("page table: mapping a small page inside a large one splits the large one") {
    Fixture one;
    one.table.map(0, PageSize::k2M, 4 * k2M, {});
    one.table.map(0x3000, PageSize::k4K, 0x9000, {});
    CHECK(one.frame(0x3000) == 0x9000);
    CHECK(one.frame(0x4000) == 4 * k2M + 0x4000);
}

TEST_CASE("page table: a freed table keeps its entries until it is used again") {
    Fixture one;
    one.table.map(0x5000, PageSize::k4K, 0x9000, {});
    const std::uint64_t freed = one.frame(0, 2);
    const std::uint64_t leaf = one.entry(0x5000, 1);
    one.table.map(0, PageSize::k2M, 4 * k2M, {});  // replaces the page table
    CHECK(one.memory.read(freed + 8 * 5) == leaf);
    one.table.map(k2M, PageSize::k4K, 0xa000, {});  // takes the same frame for another table
    CHECK(one.frame(k2M, 2) == freed);
    CHECK(one.memory.read(freed + 8 * 5) == 0);
}

TEST_CASE("page table: an edit changes the bits it names, at any level") {
    Fixture one;
    one.table.map(kVa, PageSize::k4K, 0x1000, {});
    const std::uint64_t before = one.entry(kVa, 1);
    one.table.edit(kVa, {.level = 1, .writable = false, .dirty = false, .global = true});
    CHECK(one.entry(kVa, 1) == ((before & ~kWritable & ~kDirty) | kGlobal));
    one.table.edit(kVa, {.level = 1, .no_execute = true, .to = 0x2000});
    CHECK(one.frame(kVa) == 0x2000);
    CHECK((one.entry(kVa, 1) & kNoExecute) != 0);

    const std::uint64_t upper = one.entry(kVa, 4);
    one.table.edit(kVa, {.level = 4, .user = false, .accessed = false});
    CHECK(one.entry(kVa, 4) == (upper & ~kUser & ~kAccessed));
    one.table.edit(kVa, {.level = 4, .reserved = true});
    CHECK((one.entry(kVa, 4) & (std::uint64_t{1} << 51)) != 0);
    one.table.edit(kVa, {.level = 4, .present = false});
    CHECK((one.entry(kVa, 4) & kPresent) == 0);
}

TEST_CASE("page table: an edit of an EPT entry uses the EPT's bits") {
    Fixture one(4, EntryFormat::kEpt);
    one.table.map(kVa, PageSize::k4K, 0x1000, {});
    one.table.edit(kVa, {.writable = false, .accessed = false, .dirty = false, .no_execute = true});
    CHECK(one.entry(kVa, 1) == (0x1000 | 1));
    one.table.edit(kVa, {.present = false});
    CHECK(one.entry(kVa, 1) == 0x1000);
}

TEST_CASE("page table: the largest page that fits replaces nothing") {
    Fixture one;
    CHECK(one.table.largest_free(0) == PageSize::k1G);
    one.table.map(0x1000, PageSize::k4K, 0x1000, {});
    CHECK(one.table.largest_free(0) == PageSize::k4K);
    CHECK(one.table.largest_free(k2M) == PageSize::k2M);
    CHECK(one.table.largest_free(k1G) == PageSize::k1G);
}

TEST_CASE("page table: what makes no sense is an error") {
    Fixture one;
    CHECK_THROWS_AS(one.table.protect(kVa, {}), OperationError);
    CHECK_THROWS_AS(one.table.collapse(kVa), OperationError);
    CHECK_THROWS_AS(one.table.split(kVa), OperationError);
    CHECK_THROWS_AS(one.table.edit(kVa, {.level = 5}), OperationError);
    CHECK_THROWS_AS(one.table.edit(kVa, {.level = 1}), OperationError);  // no table to hold it
    one.table.map(kVa, PageSize::k4K, 0x1000, {});
    CHECK_THROWS_AS(one.table.split(kVa), OperationError);
    one.table.unmap(kVa);
    CHECK_THROWS_AS(one.table.protect(kVa, {}), OperationError);
    one.table.map(k512G, PageSize::k1G, k1G, {});
    CHECK_THROWS_AS(one.table.collapse(k512G), OperationError);
    CHECK_THROWS_AS(one.table.edit(k512G, {.level = 2}), OperationError);
}
