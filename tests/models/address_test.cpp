// Canonical addresses: bits above the translated ones repeat the highest of them.

#include "models/address.h"
#include "models/page_size.h"

#include <doctest/doctest.h>

using namespace nestwalk;

TEST_CASE("address: with 4 levels, bits 63 to 47 of a canonical address are equal") {
    CHECK(is_canonical(VirtAddr(0), 4));
    CHECK(is_canonical(VirtAddr(0x0000'7fff'ffff'ffff), 4));
    CHECK_FALSE(is_canonical(VirtAddr(0x0000'8000'0000'0000), 4));
    CHECK_FALSE(is_canonical(VirtAddr(0xffff'7fff'ffff'ffff), 4));
    CHECK(is_canonical(VirtAddr(0xffff'8000'0000'0000), 4));
    CHECK(is_canonical(VirtAddr(~std::uint64_t{0}), 4));
}

TEST_CASE("address: with 5 levels, bits 63 to 56 of a canonical address are equal") {
    CHECK(is_canonical(VirtAddr(0x00ff'ffff'ffff'ffff), 5));
    CHECK_FALSE(is_canonical(VirtAddr(0x0100'0000'0000'0000), 5));
    CHECK_FALSE(is_canonical(VirtAddr(0xfeff'ffff'ffff'ffff), 5));
    CHECK(is_canonical(VirtAddr(0xff00'0000'0000'0000), 5));
    CHECK(is_canonical(VirtAddr(0x0000'8000'0000'0000), 5));
}

TEST_CASE("address: each level translates nine bits") {
    // i5 = 1, i4 = 2, i3 = 3, i2 = 4, i1 = 5, offset 6
    const std::uint64_t va = (std::uint64_t{1} << 48) | (std::uint64_t{2} << 39) |
                             (std::uint64_t{3} << 30) | (std::uint64_t{4} << 21) |
                             (std::uint64_t{5} << 12) | 6;
    CHECK(table_index(va, 5) == 1);
    CHECK(table_index(va, 4) == 2);
    CHECK(table_index(va, 3) == 3);
    CHECK(table_index(va, 2) == 4);
    CHECK(table_index(va, 1) == 5);
    CHECK(table_index(0xffff'ffff'ffff'ffff, 4) == 511);
}

TEST_CASE("address: pages are 4 KiB, 2 MiB and 1 GiB") {
    CHECK(page_bytes(PageSize::k4K) == 4096);
    CHECK(page_bytes(PageSize::k2M) == 2 * 1024 * 1024);
    CHECK(page_bytes(PageSize::k1G) == 1024 * 1024 * 1024);
    CHECK(align_down(0x1234'5678, page_bytes(PageSize::k2M)) == 0x1220'0000);
}
