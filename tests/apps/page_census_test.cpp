// Which pages are touched, exactly, however the accesses are said.
#include "apps/page_census.h"

#include <cstdint>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

struct Pages {
    std::uint64_t of_4k{};
    std::uint64_t of_2m{};
    bool is_exact{};

    bool operator==(const Pages&) const = default;
};

Pages pages_of(std::uint64_t va, std::uint64_t bytes, std::uint64_t count, std::uint64_t stride) {
    PageCensus census;
    census.touch(VirtAddr(va), bytes, count, stride);
    return {census.pages_4k(), census.pages_2m(), census.is_exact()};
}

/// The same, access by access.
Pages pages_one_by_one(std::uint64_t va, std::uint64_t bytes, std::uint64_t count,
                       std::uint64_t stride) {
    PageCensus census;
    for (std::uint64_t i = 0; i < count; ++i) census.touch(VirtAddr(va) + i * stride, bytes);
    return {census.pages_4k(), census.pages_2m(), census.is_exact()};
}

TEST_SUITE("page census") {
    TEST_CASE("closed forms of strides") {
        CHECK(pages_of(0x1000, 8, 50, 4096) == Pages{50, 1, true});
        CHECK(pages_of(0x1000, 8, 1024, 4096) == Pages{1024, 3, true});
        CHECK(pages_of(0, 8, 1 << 20, 8) == Pages{2048, 4, true});
        CHECK(pages_of(0, 8, 100, 1 << 21) == Pages{100, 100, true});
        CHECK(pages_of(0xffc, 8, 1, 0) == Pages{2, 1, true});
        CHECK(pages_of(0, 8, UINT64_MAX, 0) == Pages{1, 1, true});
        // Eight addresses that come again.
        CHECK(pages_of(0, 8, UINT64_MAX, std::uint64_t{1} << 61) == Pages{8, 8, true});
        // Backwards by 8 bytes.
        CHECK(pages_of(0x10'0ff8, 8, 1024, UINT64_MAX - 7) == Pages{2, 1, true});
    }

    TEST_CASE("many accesses at once are what they are one by one") {
        for (const std::uint64_t va : {std::uint64_t{0}, std::uint64_t{0xfff},
                                       std::uint64_t{0x7fff'ffff'f000}, UINT64_MAX - 5000})
            for (const std::uint64_t bytes : {1u, 8u, 4096u})
                for (const std::uint64_t count : {1u, 2u, 3u, 700u})
                    for (const std::uint64_t stride :
                         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64},
                          std::uint64_t{4095}, std::uint64_t{4096}, std::uint64_t{4097},
                          std::uint64_t{3} << 20, std::uint64_t{1} << 63, UINT64_MAX,
                          UINT64_MAX - 4095, UINT64_MAX - 5000}) {
                        CAPTURE(va);
                        CAPTURE(bytes);
                        CAPTURE(count);
                        CAPTURE(stride);
                        REQUIRE(pages_of(va, bytes, count, stride) ==
                                pages_one_by_one(va, bytes, count, stride));
                    }
    }

    TEST_CASE("beyond the bound the numbers are the least there are") {
        const Pages all = pages_of(0, 8, UINT64_MAX, 8);
        CHECK(all == Pages{std::uint64_t{512} << 21, std::uint64_t{1} << 21, false});
        const Pages far = pages_of(0, 8, UINT64_MAX, (1 << 21) + 1);
        CHECK_FALSE(far.is_exact);
        CHECK(far.of_2m == std::uint64_t{1} << 21);
    }
}

}  // namespace
}  // namespace nestwalk
