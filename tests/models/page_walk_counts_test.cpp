// How many reads an access makes once the paging-structure caches hold what earlier accesses left
// there, and how large the pages are that the TLBs keep.

#include "tests/models/test_system.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x40'0000'0000;

MachineParameters with_paging_structure_caches(const std::vector<int>& levels) {
    MachineParameters machine = exact_machine();
    machine.paging_structure_caches = {
        unbounded("psc", held(MappingClass::kPagingStructure, levels))};
    return machine;
}

std::size_t reads(TestSystem& system, std::uint64_t va) {
    system.load(va);
    return system.last().reads.size();
}

SystemParameters five_levels() { return {.guest = {.levels = 5}}; }

}  // namespace

// The further apart two pages, the shorter the prefix they share.
TEST_CASE("paging-structure caches: A, A+4K, A+2M, A+1G, A+512G take 4, 1, 2, 3, 4 reads") {
    TestSystem system(with_paging_structure_caches({2, 3, 4}));
    CHECK(reads(system, kA) == 4);
    CHECK(reads(system, kA + k4K) == 1);    // PDE
    CHECK(reads(system, kA + k2M) == 2);    // PDPTE
    CHECK(reads(system, kA + k1G) == 3);    // PML4E
    CHECK(reads(system, kA + k512G) == 4);  // root
}

TEST_CASE("paging-structure caches: without a PML4E cache they take 4, 1, 2, 4, 4") {
    TestSystem system(with_paging_structure_caches({2, 3}));
    CHECK(reads(system, kA) == 4);
    CHECK(reads(system, kA + k4K) == 1);
    CHECK(reads(system, kA + k2M) == 2);
    CHECK(reads(system, kA + k1G) == 4);
    CHECK(reads(system, kA + k512G) == 4);
}

TEST_CASE("paging-structure caches: five levels have a PML5E cache above") {
    TestSystem system(with_paging_structure_caches({2, 3, 4, 5}), five_levels());
    CHECK(reads(system, kA) == 5);
    CHECK(reads(system, kA + k4K) == 1);
    CHECK(reads(system, kA + k2M) == 2);
    CHECK(reads(system, kA + k1G) == 3);
    CHECK(reads(system, kA + k512G) == 4);
    CHECK(reads(system, kA + k256T) == 5);
}

TEST_CASE("paging-structure caches: the outcome names the level that a walk starts from") {
    TestSystem system(exact_machine());
    const auto start = [&](std::uint64_t va) {
        system.load(va);
        return std::string(name_of_start(system.last().start_level));
    };
    CHECK(start(kA) == "root");
    CHECK(start(kA + k4K) == "pde");
    CHECK(start(kA + k2M) == "pdpte");
    CHECK(start(kA + k1G) == "pml4e");
    CHECK(start(kA) == "");  // a hit walks nowhere
}

// One array of four entries: a walk inserts PML4E, PDPTE and PDE.
TEST_CASE("paging-structure caches: entries are evicted like any others") {
    MachineParameters machine = exact_machine();
    machine.paging_structure_caches = {{.name = "pde",
                                        .entries = 2,
                                        .ways = 2,
                                        .holds = held(MappingClass::kPagingStructure, {2})}};
    TestSystem system(machine);
    CHECK(reads(system, kA) == 4);
    CHECK(reads(system, kA + k2M) == 4);
    CHECK(reads(system, kA + k4K) == 1);      // uses the first PDE
    CHECK(reads(system, kA + 2 * k2M) == 4);  // replaces the second
    CHECK(reads(system, kA + 2 * k4K) == 1);
    CHECK(reads(system, kA + k2M + k4K) == 4);
}

TEST_CASE("page size: the TLB keeps the smaller of the guest's page and the host's") {
    for (const PageSize guest : {PageSize::k4K, PageSize::k2M, PageSize::k1G}) {
        for (const PageSize host : {PageSize::k4K, PageSize::k2M, PageSize::k1G}) {
            TestSystem system(exact_machine(), nested_system(guest, host));
            system.load(kA);
            CHECK(system.last().page_level == std::min(leaf_level(guest), leaf_level(host)));
            CHECK(system.last().whole_level == leaf_level(guest));
            CHECK(system.last().fractured_fill == (leaf_level(host) < leaf_level(guest)));
        }
    }
}

TEST_CASE("page size: 512 touches of a 2M guest page walk once on 2M host pages, 512 times on 4K") {
    for (const PageSize host : {PageSize::k2M, PageSize::k4K}) {
        TestSystem system(exact_machine(), nested_system(PageSize::k2M, host));
        int walks = 0;
        for (std::uint64_t page = 0; page < 512; ++page) {
            system.load(kA + page * k4K);
            walks += system.last().result == TranslationResult::kMiss;
        }
        CHECK(walks == (host == PageSize::k2M ? 1 : 512));
    }
}

TEST_CASE("page size: natively a page is kept at its own size") {
    for (const PageSize size : {PageSize::k4K, PageSize::k2M, PageSize::k1G}) {
        TestSystem system(exact_machine(), {.guest = {.page_size = size}});
        CHECK(reads(system, kA) == static_cast<std::size_t>(5 - leaf_level(size)));
        CHECK(system.load(kA + page_bytes(size) - 8) == "hit");
        CHECK(system.load(kA + page_bytes(size)) != "hit");
        CHECK_FALSE(system.last().fractured_fill);
    }
}

TEST_CASE("accesses: count and stride make so many translations, a page crossing makes one more") {
    TestSystem system(exact_machine());
    system.apply(Access{.va = VirtAddr(kA), .count = 50, .stride = k4K});
    CHECK(system.outcomes().size() == 50);
    system.apply(Access{.va = VirtAddr(kA + k4K - 4), .bytes = 8});
    REQUIRE(system.outcomes().size() == 2);
    CHECK(system.outcomes()[0].physical % k4K == k4K - 4);
    CHECK(system.outcomes()[1].physical % k4K == 0);
    system.apply(Access{.va = VirtAddr(kA + k4K - 8), .bytes = 8});
    CHECK(system.outcomes().size() == 1);
}

TEST_CASE("accesses: a non-canonical address faults and leaves nothing behind") {
    for (const Paging paging : {Paging::kNative, Paging::kNested, Paging::kShadow}) {
        for (const std::uint64_t va :
             {std::uint64_t{1} << 47, std::uint64_t{0xffff'7000'0000'0000}}) {
            SystemParameters parameters;
            parameters.paging = paging;
            TestSystem system(exact_machine(), parameters);
            system.load(kA);
            const SystemState before = system.state();
            CHECK(system.load(va) == "gp");
            CHECK(system.last().reads.empty());
            CHECK(system.last().dropped == Dropped{});
            CHECK(before == system.state());
            CHECK(system.load(kA) == "hit");
        }
    }
}

TEST_CASE("accesses: 57 bits are canonical with five levels and not with four") {
    const std::uint64_t va = std::uint64_t{1} << 50;
    TestSystem four(exact_machine());
    CHECK(four.load(va) == "gp");
    TestSystem five(exact_machine(), five_levels());
    CHECK(five.load(va) == "miss, 5 reads");
}
