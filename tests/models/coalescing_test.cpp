// One entry for four neighbouring pages: what is shared, and what an operation on one page costs
// the others.
#include "tests/models/test_system.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kGroup = 0x40'0000;  // aligned to four pages
constexpr std::uint64_t kFrames = 32 * k1G;  // far from those of tables
constexpr std::uint64_t kFour[]{0, 1, 2, 3};

std::uint64_t page(std::uint64_t number) { return kGroup + number * k4K; }

MachineParameters coalescing_machine() {
    MachineParameters machine = exact_machine();
    machine.coalescing = Coalescing::kFourPages;
    return machine;
}

/// Four pages with frames from `frames` on, all present, accessed and dirty.
void map_group(TestSystem& system, std::uint64_t frames = kFrames) {
    for (std::uint64_t number = 0; number < 4; ++number) {
        system.map_to(page(number), frames + number * k4K);
    }
}

/// True if a load of page 1 brings page 2 along.
bool coalesces(TestSystem& system) {
    system.load(page(1));
    const bool coalesced = system.last().coalesced_fill;
    CHECK(system.last().page_span == (coalesced ? 2 : 0));
    CHECK((system.load(page(2)) == "hit") == coalesced);
    return coalesced;
}

TEST_SUITE("coalescing") {
    TEST_CASE("four alike pages take one entry of each array") {
        TestSystem system(coalescing_machine());
        map_group(system);
        CHECK(system.load(page(1)) == "miss, 4 reads");
        for (const std::uint64_t number : kFour) {
            CHECK(system.load(page(number) + 8) == "hit");
            CHECK(system.last().physical == kFrames + number * k4K + 8);
        }
        CHECK(system.load(page(4)) == "miss, 1 read");
        CHECK(system.array("dtlb").size() == 2);
        CHECK(system.array("stlb").size() == 2);
    }

    TEST_CASE("each array is filled once") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.load(page(0));
        std::size_t translations = 0;
        for (const CachedFill& fill : system.last().fills) {
            if (class_of(fill.mapping) == MappingClass::kTranslation) ++translations;
        }
        CHECK(translations == 2);  // L1 dTLB and STLB
    }

    TEST_CASE("a machine without it caches each page alone") {
        TestSystem system(exact_machine());
        map_group(system);
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("frames must be contiguous and aligned to the group") {
        TestSystem misaligned(coalescing_machine());
        map_group(misaligned, kFrames + k4K);
        CHECK_FALSE(coalesces(misaligned));
        TestSystem apart(coalescing_machine());
        map_group(apart);
        apart.map_to(page(3), kFrames + 64 * k4K);
        CHECK_FALSE(coalesces(apart));
    }

    TEST_CASE("all four must be present") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.unmap(page(3));
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("rights and G must be equal") {
        EntryEdit edit{};
        SUBCASE("R/W") { edit.writable = false; }
        SUBCASE("U/S") { edit.user = false; }
        SUBCASE("XD") { edit.no_execute = true; }
        SUBCASE("G") { edit.global = true; }
        TestSystem system(coalescing_machine());
        map_group(system);
        system.edit(page(3), edit);
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("a neighbour that was never accessed is not cached unasked") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.edit(page(3), {.accessed = false});
        CHECK_FALSE(coalesces(system));
        CHECK((system.entry(page(3), 1) & entry_bit::kAccessed) == 0);
        system.load(page(3));  // sets A, and is cached alone
        CHECK(system.last().page_span == 0);
        system.invlpg(page(1));
        CHECK(coalesces(system));
    }

    TEST_CASE("dirty flags must agree") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.edit(page(3), {.dirty = false});
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("INVLPG of one page drops the entry of all four, and no other") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.load(page(0));
        system.load(page(4));
        system.invlpg(page(3));
        CHECK(system.load(page(4)) == "hit");
        CHECK(system.load(page(1)) == "miss, 4 reads");
    }

    TEST_CASE("a store to a clean entry splits it: the other pages miss") {
        TestSystem system(coalescing_machine());
        map_group(system);
        for (const std::uint64_t number : kFour) system.edit(page(number), {.dirty = false});
        CHECK(coalesces(system));
        CHECK(system.store(page(1)) == "hit, 1 read, dirty assist");
        CHECK((system.entry(page(1), 1) & entry_bit::kDirty) != 0);
        CHECK((system.entry(page(2), 1) & entry_bit::kDirty) == 0);
        CHECK(system.store(page(1)) == "hit");
        CHECK(system.load(page(2)) == "miss, 1 read");
    }

    TEST_CASE("a coalesced entry takes the place of those of its pages") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.edit(page(3), {.accessed = false});
        for (const std::uint64_t number : {0u, 1u, 3u}) system.load(page(number));
        CHECK(system.array("dtlb").size() == 3);
        CHECK(system.load(page(2)) == "miss, 1 read");
        CHECK(system.last().coalesced_fill);
        CHECK(system.array("dtlb").size() == 1);
        CHECK(system.array("stlb").size() == 1);
        CHECK(system.load(page(0)) == "hit");  // and not ambiguous
    }

    TEST_CASE("each page of an entry may be stale alone") {
        TestSystem system(coalescing_machine());
        map_group(system);
        system.load(page(0));
        system.edit(page(1), {.to = kFrames + 64 * k4K});
        CHECK(system.load(page(0)) == "hit");
        CHECK(system.load(page(1)) == "hit, stale");
        CHECK(system.load(page(2)) == "hit");
    }

    TEST_CASE("the STLB hands the whole entry to the L1") {
        MachineParameters machine = coalescing_machine();
        machine.l1_dtlb[0].entries = 1;
        TestSystem system(machine);
        map_group(system);
        system.load(page(0));
        system.load(page(4));
        CHECK(system.load(page(1)) == "STLB hit");
        CHECK(system.load(page(2)) == "hit");
    }

    TEST_CASE("a large page coalesces with nothing") {
        TestSystem system(coalescing_machine());
        system.map(2 * k1G, PageSize::k2M);
        system.load(2 * k1G);
        CHECK(system.last().page_span == 0);
    }
}

TEST_SUITE("coalescing under nested paging") {
    /// Four pages of the host, so far apart in guest-physical and in host-physical memory.
    void map_host(TestSystem & system, std::uint64_t guest_stride, std::uint64_t host_stride) {
        for (const std::uint64_t number : kFour) {
            system.apply(HostMap{.gpa = GuestPhysAddr(kFrames + number * guest_stride * k4K),
                                 .size = PageSize::k4K,
                                 .to = PhysAddr(64 * k1G + number * host_stride * k4K)});
        }
    }

    TEST_CASE("small pages of the host, in order, will do") {
        TestSystem system(coalescing_machine(), nested_system());
        map_group(system);
        map_host(system, 1, 1);
        CHECK(coalesces(system));
    }

    TEST_CASE("guest pages that are neighbours in both dimensions share an entry") {
        TestSystem system(coalescing_machine(), nested_system(PageSize::k4K, PageSize::k2M));
        map_group(system);
        CHECK(coalesces(system));
    }

    TEST_CASE("host frames that are apart do not") {
        TestSystem system(coalescing_machine(), nested_system());
        map_group(system);
        map_host(system, 1, 2);
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("nor guest frames that are apart, where host frames happen to be neighbours") {
        TestSystem system(coalescing_machine(), nested_system());
        for (const std::uint64_t number : kFour) {
            system.map_to(page(number), kFrames + 2 * number * k4K);
        }
        map_host(system, 2, 1);
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("a host page that is clean keeps its neighbours apart") {
        MachineParameters machine = coalescing_machine();
        machine.vendor = Vendor::kAmd;  // an NPT has dirty flags
        TestSystem system(machine, nested_system());
        map_group(system);
        map_host(system, 1, 1);
        system.apply(HostSetEntry{GuestPhysAddr(kFrames + 2 * k4K), {.dirty = false}});
        CHECK_FALSE(coalesces(system));
    }

    TEST_CASE("pieces of a fractured page share an entry and stay pieces") {
        TestSystem system(coalescing_machine(), nested_system(PageSize::k2M));
        system.map_to(kGroup, kFrames, PageSize::k2M);
        map_host(system, 1, 1);
        CHECK(coalesces(system));
        CHECK(system.array("dtlb").fractured() == 1);
        system.invlpg(kGroup + 0x10'0000);
        CHECK(system.load(page(2)) != "hit");
    }
}

}  // namespace
}  // namespace nestwalk::test
