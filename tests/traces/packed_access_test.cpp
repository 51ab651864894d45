// An access in eight bytes is the same access, and what does not fit is known not to.
#include "traces/access_run.h"
#include "traces/packed_access.h"

#include <cstdint>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

bool same(const Access& a, const Access& b) {
    return a.kind == b.kind && a.privilege == b.privilege && a.dependence == b.dependence &&
           a.loads_back == b.loads_back && a.va == b.va && a.bytes == b.bytes &&
           a.count == b.count && a.stride == b.stride;
}

TEST_SUITE("packed accesses") {
    TEST_CASE("every field of an access comes back") {
        for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kFetch})
            for (const Privilege privilege : {Privilege::kUser, Privilege::kKernel})
                for (std::uint8_t back = 0; back <= kFarthestDependence; ++back)
                    for (const std::uint64_t bytes : {1u, 8u, 511u, 512u})
                        for (const std::uint64_t va :
                             {std::uint64_t{0}, std::uint64_t{0x7fff'ffff'ffff},
                              std::uint64_t{0xffff'8000'0000'0000}, UINT64_MAX}) {
                            const Access access{.kind = kind,
                                                .privilege = privilege,
                                                .dependence = back == 0
                                                                  ? Dependence::kIndependent
                                                                  : Dependence::kOnPreviousLoad,
                                                .loads_back = std::uint8_t(back == 0 ? 1 : back),
                                                .va = VirtAddr(va),
                                                .bytes = bytes};
                            REQUIRE(PackedAccess::fits(access));
                            const PackedAccess packed(access);
                            REQUIRE(packed.is_valid());
                            REQUIRE(same(packed.access(), access));
                            REQUIRE(packed.loads_back() == back);
                        }
    }

    TEST_CASE("what needs more than eight bytes does not fit") {
        CHECK(PackedAccess::fits(Access{}));
        CHECK_FALSE(PackedAccess::fits(Access{.bytes = 0}));
        CHECK_FALSE(PackedAccess::fits(Access{.bytes = 513}));
        CHECK_FALSE(PackedAccess::fits(Access{.count = 2}));
        CHECK_FALSE(PackedAccess::fits(Access{.stride = 1}));
        CHECK_FALSE(PackedAccess::fits(Access{.va = VirtAddr(0x8000'0000'0000)}));
        CHECK_FALSE(PackedAccess::fits(Access{.va = VirtAddr(0xffff'7fff'ffff'ffff)}));
    }

    TEST_CASE("the word is what the format says") {
        CHECK(PackedAccess(Access{}).word() == 7 << 7);
        CHECK(PackedAccess(Access{.kind = AccessKind::kFetch,
                                  .privilege = Privilege::kKernel,
                                  .dependence = Dependence::kOnPreviousLoad,
                                  .loads_back = 5,
                                  .va = VirtAddr(0x123456),
                                  .bytes = 16})
                  .word() == (0x123456ull << 16 | 15 << 7 | 5 << 3 | 1 << 2 | 2));
    }

    TEST_CASE("a kind that is none and a dependence too far back are not valid") {
        for (std::uint64_t low = 0; low < 128; ++low) {
            CAPTURE(low);
            const bool valid = (low & 3) != 3 && (low >> 3) <= kFarthestDependence;
            CHECK(PackedAccess(low | 0xabcdef'0080).is_valid() == valid);
        }
    }

    TEST_CASE("a run knows the line of each of its accesses") {
        const std::uint32_t after[] = {0, 0, 3};
        CHECK(AccessRun{.first_line = 7}.line_of(2) == 9);
        CHECK(AccessRun{.first_line = 7, .lines_after = after}.line_of(1) == 7);
        CHECK(AccessRun{.first_line = 7, .lines_after = after}.line_of(2) == 10);
    }
}

}  // namespace
}  // namespace nestwalk
