// 1-GiB pages cached as 2-MiB pieces, as on AMD family 16h, and the flush that INVLPG then is.
#include "tests/models/test_system.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kHuge = 4 * k1G;
constexpr std::uint64_t kSmall = 0x10'0000;
constexpr std::uint64_t kOther = 0x20'0000;

MachineParameters smashing(bool full_flush) {
    MachineParameters machine = exact_amd_machine();
    machine.smash_1g = {.enabled = true, .full_flush = full_flush};
    return machine;
}

TEST_SUITE("smashed 1G pages") {
    TEST_CASE("each 2M piece is cached when it is touched, and translates right") {
        TestSystem system(smashing(false));
        system.map_to(kHuge, 8 * k1G, PageSize::k1G);
        CHECK(system.load(kHuge + 5 * k2M) == "miss, 2 reads");
        CHECK(system.last().page_level == 2);
        CHECK(system.last().whole_level == 3);
        CHECK(system.load(kHuge + 6 * k2M - 8) == "hit");
        CHECK(system.last().physical == 8 * k1G + 6 * k2M - 8);
        CHECK(system.load(kHuge + 6 * k2M) == "miss, 1 read");
    }

    TEST_CASE("a machine that does not smash caches the page whole") {
        TestSystem system(exact_amd_machine());
        system.map(kHuge, PageSize::k1G);
        system.load(kHuge);
        CHECK(system.load(kHuge + 6 * k2M) == "hit");
    }

    TEST_CASE("INVLPG of any address of the page drops all its pieces, and no other page") {
        TestSystem system(smashing(false));
        system.map(kHuge, PageSize::k1G);
        for (const std::uint64_t va : {kHuge, kHuge + k2M, kSmall}) system.load(va);
        system.invlpg(kHuge + 100 * k2M);
        CHECK(system.load(kSmall) == "hit");
        CHECK(system.load(kHuge) == "miss, 2 reads");
        CHECK(system.load(kHuge + k2M) == "miss, 1 read");
    }

    TEST_CASE("with the full flush INVLPG of another page drops every translation once") {
        TestSystem system(smashing(true));
        system.map(kHuge, PageSize::k1G);
        for (const std::uint64_t va : {kHuge, kSmall, kOther}) system.load(va);
        system.invlpg(kOther);
        CHECK(system.last().smash_flushes == 1);
        CHECK(system.last().performed.all == 1);
        CHECK(system.load(kSmall) == "miss, 4 reads");
        CHECK(system.load(kOther) == "miss, 2 reads");
        system.invlpg(kOther);  // no piece was cached since
        CHECK(system.last().smash_flushes == 0);
        CHECK(system.load(kSmall) == "hit");
    }

    TEST_CASE("a piece that was replaced or dropped since still brings the flush") {
        TestSystem system(smashing(true));
        system.map(kHuge, PageSize::k1G);
        for (const std::uint64_t va : {kHuge, kSmall}) system.load(va);
        system.evict(kHuge);
        system.invlpg(kOther);
        CHECK(system.load(kSmall) == "miss, 4 reads");
    }

    TEST_CASE("an empty TLB forgets that pieces were cached") {
        TestSystem system(smashing(true));
        system.map(kHuge, PageSize::k1G);
        system.load(kHuge);
        system.reload_cr3();
        system.load(kSmall);
        system.invlpg(kOther);
        CHECK(system.last().smash_flushes == 0);
        CHECK(system.load(kSmall) == "hit");
    }

    TEST_CASE("the flush takes globals and the translations of guests") {
        TestSystem system(smashing(true), nested_system());
        system.load(kSmall);
        system.vm_exit();
        system.map(kHuge, PageSize::k1G);
        system.map_global(kSmall);
        system.load(kHuge);
        system.load(kSmall);
        system.apply(Invlpga{VirtAddr(kOther), Asid(1)});
        CHECK(system.last().smash_flushes == 1);
        CHECK(system.load(kSmall) != "hit");
        system.vm_entry();
        CHECK(system.load(kSmall) != "hit");
    }

    TEST_CASE("a guest's 1G page is smashed only where the host's is as large") {
        const auto flushes = [](PageSize host) {
            TestSystem system(smashing(true), nested_system(PageSize::k1G, host));
            system.load(kHuge);
            CHECK(system.last().page_level == 2);
            system.invlpg(kSmall);
            return system.last().smash_flushes;
        };
        CHECK(flushes(PageSize::k1G) == 1);
        CHECK(flushes(PageSize::k2M) == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
