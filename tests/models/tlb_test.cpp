// Geometry of TLBs: which set a page falls into, what two levels of TLB keep. The closed forms are
// those published for a 128-set, 12-way STLB indexed by XOR of seven bits, beside a 16-set, 4-way
// L1.

#include "tests/models/test_system.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

StructureParameters tlb(const std::string& name, std::uint32_t sets, std::uint32_t ways,
                        IndexHash index) {
    return {.name = name,
            .entries = sets * ways,
            .ways = ways,
            .index = index,
            .replacement = ReplacementPolicy::kTrueLru,
            .holds = held(MappingClass::kTranslation, {1})};
}

MachineParameters two_levels(const StructureParameters& l1, const StructureParameters& stlb) {
    MachineParameters machine = walker({.paging_structures = {2, 3, 4}});
    machine.l1_dtlb = {l1};
    machine.stlb = {stlb};
    return machine;
}

MachineParameters published_machine(IndexHash stlb_index) {
    return two_levels(tlb("dtlb", 16, 4, IndexHash::kLinear), tlb("stlb", 128, 12, stlb_index));
}

struct Misses {
    int l1{};
    int stlb{};
};

/// Of one pass over `pages` once earlier passes have settled the TLBs.
Misses steady_pass(const MachineParameters& machine, const std::vector<std::uint64_t>& pages) {
    TestSystem system(machine);
    Misses misses;
    for (int pass = 0; pass < 4; ++pass) {
        misses = {};
        for (const std::uint64_t page : pages) {
            system.load(page << 12);
            misses.l1 += system.last().l1_missed;
            misses.stlb += system.last().stlb_missed;
        }
    }
    return misses;
}

std::vector<std::uint64_t> strided(int count, std::uint64_t stride_bytes) {
    std::vector<std::uint64_t> pages;
    for (int page = 0; page < count; ++page) {
        pages.push_back(static_cast<std::uint64_t>(page) * (stride_bytes >> 12));
    }
    return pages;
}

}  // namespace

// Bits 6:0 and 13:7 of VPN = (j << 14) | (k << 7) | k are equal, so their XOR is 0 for all 16
// pages: one set of 12 ways, and LRU misses each. Linearly, k = 0, 16, ..., 112 are 8 sets of 2
// pages.
TEST_CASE("TLB: 16 pages whose index halves are equal collide under XOR-7 and not linearly") {
    std::vector<std::uint64_t> pages;
    for (const std::uint64_t j : {0u, 1u}) {
        for (std::uint64_t k = 0; k <= 112; k += 16) pages.push_back((j << 14) | (k << 7) | k);
    }
    REQUIRE(pages.size() == 16);
    CHECK(steady_pass(published_machine(IndexHash::kXorFold), pages).stlb == 16);
    CHECK(steady_pass(published_machine(IndexHash::kLinear), pages).stlb == 0);
}

// 512 KiB are 128 pages: bits 6:0 are 0, bits 13:7 count from 0 to 63. XOR gives 64 sets, linear
// one.
TEST_CASE("TLB: 64 pages 512 KiB apart collide linearly and not under XOR-7") {
    CHECK(steady_pass(published_machine(IndexHash::kXorFold), strided(64, 512 * 1024)).stlb == 0);
    CHECK(steady_pass(published_machine(IndexHash::kLinear), strided(64, 512 * 1024)).stlb == 64);
}

// 64 KiB are 16 pages: five pages in one set of a 16-set, 4-way L1, in five sets of the STLB.
TEST_CASE("TLB: 5 pages 64 KiB apart miss a 16-set 4-way L1 each time and never walk") {
    for (const IndexHash index : {IndexHash::kLinear, IndexHash::kXorFold}) {
        const Misses misses = steady_pass(published_machine(index), strided(5, 64 * 1024));
        CHECK(misses.l1 == 5);
        CHECK(misses.stlb == 0);
    }
    CHECK(steady_pass(published_machine(IndexHash::kLinear), strided(4, 64 * 1024)).l1 == 0);
}

// 64 entries hold 64 consecutive pages; one more page makes a set of five, whose pages miss each
// time.
TEST_CASE("TLB: 64 consecutive pages fit a 16-set 4-way L1, 65 leave one set of five") {
    CHECK(steady_pass(published_machine(IndexHash::kLinear), strided(64, 4096)).l1 == 0);
    CHECK(steady_pass(published_machine(IndexHash::kLinear), strided(65, 4096)).l1 == 5);
}

TEST_CASE("TLB: a miss fills both levels, an STLB hit refills the L1") {
    TestSystem system(
        two_levels(tlb("dtlb", 1, 1, IndexHash::kLinear), tlb("stlb", 1, 4, IndexHash::kLinear)));
    CHECK(system.load(0x1000) == "miss, 4 reads");
    REQUIRE(system.last().fills.size() == 5);  // PML4E, PDPTE, PDE, and the page in both levels
    CHECK(system.load(0x1000) == "hit");
    CHECK(system.load(0x2000) == "miss, 1 read");
    CHECK(system.load(0x1000) == "STLB hit");
    CHECK(system.last().fills.size() == 1);
    CHECK(system.load(0x1000) == "hit");
}

// Neither inclusive nor exclusive. A and B fill an STLB of two ways; hits on A in the L1 do not
// make A recent in the STLB, so C replaces A there; and that does not take A from the L1.
TEST_CASE("TLB: an L1 hit does not touch the STLB, and an STLB eviction does not touch the L1") {
    TestSystem system(
        two_levels(tlb("dtlb", 1, 4, IndexHash::kLinear), tlb("stlb", 1, 2, IndexHash::kLinear)));
    system.load(0xa000);
    system.load(0xb000);
    for (int repeat = 0; repeat < 3; ++repeat) CHECK(system.load(0xa000) == "hit");
    system.load(0xc000);  // the STLB holds B and C now
    CHECK(system.load(0xa000) == "hit");
    for (const std::uint64_t page : {0xd000u, 0xe000u, 0xf000u}) system.load(page);
    // The L1 holds A, D, E, F; the STLB E and F.
    CHECK(system.load(0xa000) == "hit");
    CHECK(system.load(0xc000) == "miss, 1 read");
}

TEST_CASE("TLB: an eviction from the L1 writes nothing to the STLB") {
    TestSystem system(
        two_levels(tlb("dtlb", 1, 1, IndexHash::kLinear), tlb("stlb", 1, 2, IndexHash::kLinear)));
    system.load(0xa000);
    system.load(0xb000);  // A leaves the L1; in the STLB A is older than B
    system.load(0xc000);  // replaces A in the STLB
    CHECK(system.load(0xb000) == "STLB hit");
    CHECK(system.load(0xa000) == "miss, 1 read");
}

TEST_CASE("TLB: sizes that share an array keep to their ways") {
    StructureParameters shared{.name = "dtlb",
                               .entries = 4,
                               .ways = 4,
                               .holds = {{MappingClass::kTranslation, 1, {0, 3}},
                                         {MappingClass::kTranslation, 2, {3, 1}}}};
    TestSystem system(two_levels(shared, tlb("stlb", 1, 1, IndexHash::kLinear)));
    system.map(0, PageSize::k2M);
    system.load(0);
    for (std::uint64_t page = 1; page <= 8; ++page) system.load(k1G + page * k4K);
    CHECK(system.load(0) == "hit");  // eight 4K pages went through the other three ways
    for (std::uint64_t page = 6; page <= 8; ++page) CHECK(system.load(k1G + page * k4K) == "hit");

    system.map(k2M, PageSize::k2M);
    system.load(k2M);  // takes the one way of 2M pages
    CHECK(system.load(0) != "hit");
}

TEST_CASE("TLB: an L1 without large entries keeps the 4K piece that was used") {
    MachineParameters machine = exact_machine();
    machine.l1_dtlb = {unbounded("dtlb", held(MappingClass::kTranslation, {1}))};
    TestSystem system(machine);
    system.map(0, PageSize::k2M);
    CHECK(system.load(0x5000) == "miss, 3 reads");
    CHECK(system.load(0x5ff8) == "hit");
    CHECK(system.last().page_level == 1);
    CHECK(system.last().whole_level == 2);
    CHECK(system.load(0x7000) == "STLB hit");
    CHECK(system.load(0x7000) == "hit");
    // All pieces are one translation: an invalidation anywhere in the page drops them (T27).
    system.invlpg(0x1ff000);
    CHECK(system.load(0x5000) == "miss, 3 reads");
}

TEST_CASE("TLB: evicting one address leaves the other pieces of its page") {
    MachineParameters machine = exact_machine();
    machine.stlb.clear();
    machine.l1_dtlb = {unbounded("dtlb", held(MappingClass::kTranslation, {1}))};
    TestSystem system(machine);
    system.map(0, PageSize::k2M);
    system.load(0x5000);
    system.load(0x7000);
    system.evict(0x5000);
    CHECK(system.load(0x7000) == "hit");
    CHECK(system.load(0x5000) == "miss, 1 read");
}

TEST_CASE("TLB: data and instruction sides are apart in the L1 and share the STLB") {
    TestSystem system(exact_machine());
    CHECK(system.load(0x1000) == "miss, 4 reads");
    CHECK(system.fetch(0x1000) == "STLB hit");
    CHECK(system.fetch(0x1000) == "hit");
    system.invlpg(0x1000);
    CHECK(system.fetch(0x1000) == "miss, 4 reads");
}
