// What cached paging-structure entries and guest-physical mappings save of a nested walk's 24
// reads. Only the caches that a claim names are there, and no TLB, so that every access walks.

#include "tests/models/hand_built_tables.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t region(std::uint64_t number) { return number * k512G; }

constexpr std::uint64_t kVa = 0x1234'5678'9000;

/// A 4x4 nested mapping of kVa, and neighbours that share some of its tables. All guest-physical
/// addresses are in 512G regions of their own unless a test says otherwise.
struct Neighbours {
    explicit Neighbours(const WalkCaches& caches, int host_leaf = 1)
        : tables(walker(caches), Paging::kNested), leaf(host_leaf) {
        map(kVa, {g4, g3, g2, g1}, data);
    }
    void map(std::uint64_t va, const std::vector<std::uint64_t>& path, std::uint64_t target) {
        tables.map(va, path, target);
        for (const std::uint64_t table : path) tables.map_host(table, leaf);
        tables.map_host(target, leaf);
    }
    std::size_t reads(std::uint64_t va) { return tables.reads(va); }

    const std::uint64_t g4{region(1)}, g3{region(2)}, g2{region(3)}, g1{region(4)}, data{region(5)};
    HandBuiltTables tables;
    int leaf{};
};

/// Reads of a cold walk with guest-physical caches, by where the five guest-physical addresses lie.
std::size_t cold_reads_with_gpas_apart(std::uint64_t distance) {
    HandBuiltTables tables(
        walker({.nested_translations = {1, 2, 3}, .nested_paging_structures = {2, 3, 4}}),
        Paging::kNested);
    std::vector<std::uint64_t> gpas;
    for (std::uint64_t row = 0; row < 5; ++row) gpas.push_back(row * distance);
    tables.map(kVa, {gpas[0], gpas[1], gpas[2], gpas[3]}, gpas[4]);
    for (const std::uint64_t gpa : gpas) tables.map_host(gpa);
    return tables.reads(kVa);
}

}  // namespace

// The first row fills the caches that serve the later rows of the same walk.
TEST_CASE("walk caches: a cold walk with guest-physical caches makes 12, 16, 20 or 24 reads") {
    CHECK(cold_reads_with_gpas_apart(k4K) == 12);    // one 2M region: 4+1 + 3(1+1) + 1
    CHECK(cold_reads_with_gpas_apart(k2M) == 16);    // one 1G region: 4+1 + 3(2+1) + 2
    CHECK(cold_reads_with_gpas_apart(k1G) == 20);    // one 512G region: 4+1 + 3(3+1) + 3
    CHECK(cold_reads_with_gpas_apart(k512G) == 24);  // 4+1 + 3(4+1) + 4
}

TEST_CASE("walk caches: a page that maps its own page table needs no host read for the data") {
    HandBuiltTables tables(walker({.nested_translations = {1}}), Paging::kNested);
    tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(4));
    for (const std::uint64_t number : {1u, 2u, 3u, 4u}) tables.map_host(region(number));
    CHECK(tables.reads(kVa) == 20);  // 4 (4+1) + 0
}

TEST_CASE("walk caches: large host pages remove the last host reads of their rows") {
    Neighbours small({});
    CHECK(small.reads(kVa) == 24);
    Neighbours only_data({});
    only_data.tables.map_host(only_data.data, 2);
    CHECK(only_data.reads(kVa) == 23);
    Neighbours all_2m({}, 2);
    CHECK(all_2m.reads(kVa) == 19);
    Neighbours all_1g({}, 3);
    CHECK(all_1g.reads(kVa) == 14);
}

TEST_CASE("walk caches: a combined PML4E leaves 15 reads (10 to 24)") {
    Neighbours walk({.paging_structures = {4}});
    walk.map(kVa + k1G, {walk.g4, walk.g3, region(6), region(7)}, region(8));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k1G) == 15);
    CHECK(walk.reads(kVa) == 15);
}

TEST_CASE("walk caches: a combined PDPTE leaves 10 reads (15 to 24)") {
    Neighbours walk({.paging_structures = {3}});
    walk.map(kVa + k2M, {walk.g4, walk.g3, walk.g2, region(6)}, region(7));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k2M) == 10);
}

TEST_CASE("walk caches: a combined PDE leaves 5 reads (20 to 24)") {
    Neighbours walk({.paging_structures = {2}});
    walk.map(kVa + k4K, {walk.g4, walk.g3, walk.g2, walk.g1}, region(6));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k4K) == 5);
    const Outcome& outcome = walk.tables.translate(kVa + k4K);
    CHECK(outcome.start_level == 2);
    CHECK(outcome.reads.front().dimension == Dimension::kGuest);
    CHECK(outcome.reads.front().location.value() ==
          walk.g1 + 8 * HandBuiltTables::index(kVa + k4K, 1) + kHostOffset);
}

TEST_CASE("walk caches: a combined PDE and a guest-physical translation of the data leave 1 read") {
    Neighbours walk({.paging_structures = {2}, .nested_translations = {1}});
    walk.map(kVa + k4K, {walk.g4, walk.g3, walk.g2, walk.g1}, walk.data);
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k4K) == 1);
}

TEST_CASE("walk caches: a combined PDE and a guest-physical PDE of the data leave 2 reads") {
    Neighbours walk({.paging_structures = {2}, .nested_paging_structures = {2}});
    walk.map(kVa + k4K, {walk.g4, walk.g3, walk.g2, walk.g1}, walk.data + k4K);
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k4K) == 2);
}

TEST_CASE("walk caches: guest-physical translations of the four tables leave 8 reads") {
    Neighbours walk({.nested_translations = {1}});
    walk.map(kVa + k4K, {walk.g4, walk.g3, walk.g2, walk.g1}, region(6));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k4K) == 8);  // 4 guest entries, 4 host entries for the data
    CHECK(walk.tables.translate(kVa + k4K).reads_of(Dimension::kHost) == 0);  // cached by now
    CHECK(walk.reads(kVa) == 4);                                              // tables and data
}

TEST_CASE("walk caches: a guest-physical PDE for every address leaves 9 reads") {
    Neighbours walk({.nested_paging_structures = {2}});
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa) == 9);  // 4 (1+1) + 1
}

TEST_CASE("walk caches: a guest-physical translation of the root alone leaves 20 reads") {
    Neighbours walk({.nested_translations = {1}});
    walk.map(kVa + k512G, {walk.g4, region(6), region(7), region(8)}, region(9));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k512G) == 20);
}

// A PDE with PS is a translation, never a paging-structure entry: the best start is the PDPTE.
TEST_CASE(
    "walk caches: a 2M guest page is reached in 5 reads at best from the caches of its tables") {
    HandBuiltTables tables(walker({.paging_structures = {2, 3, 4}}), Paging::kNested);
    const std::uint64_t va = kVa & ~(k2M - 1);
    tables.map(va, {region(1), region(2), region(3)}, region(5));
    tables.map(va + k2M, {region(1), region(2), region(3)}, region(6));
    for (const std::uint64_t number : {1u, 2u, 3u, 5u, 6u}) tables.map_host(region(number));
    CHECK(tables.reads(va) == 19);
    CHECK(tables.reads(va + k2M) == 5);  // 15, 21 to 24
    CHECK(tables.translate(va + k2M).start_level == 3);
}

TEST_CASE("walk caches: the longest cached prefix is used") {
    Neighbours walk({.paging_structures = {2, 3, 4}});
    walk.map(kVa + k4K, {walk.g4, walk.g3, walk.g2, walk.g1}, region(6));
    walk.map(kVa + k2M, {walk.g4, walk.g3, walk.g2, region(7)}, region(8));
    walk.map(kVa + k1G, {walk.g4, walk.g3, region(9), region(10)}, region(11));
    CHECK(walk.reads(kVa) == 24);
    CHECK(walk.reads(kVa + k4K) == 5);
    CHECK(walk.reads(kVa + k2M) == 10);
    CHECK(walk.reads(kVa + k1G) == 15);
}

// A combined entry that holds the guest-physical address of the structure still owes the host walk
// of its page: the reads of a PDE hit are 16 to 24.
TEST_CASE("walk caches: a guest-physical target still owes the host walk of the table") {
    for (const std::vector<int>& nested_tlb : {std::vector<int>{}, std::vector<int>{1}}) {
        MachineParameters machine =
            walker({.paging_structures = {2}, .nested_translations = nested_tlb});
        machine.vendor = Vendor::kAmd;
        machine.combined_target = CombinedTarget::kGuestPhysical;
        HandBuiltTables tables(machine, Paging::kNested);
        tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(5));
        tables.map(kVa + k4K, {region(1), region(2), region(3), region(4)}, region(6));
        for (const std::uint64_t number : {1u, 2u, 3u, 4u, 5u, 6u}) tables.map_host(region(number));
        CHECK(tables.reads(kVa) == 24);
        CHECK(tables.reads(kVa + k4K) == (nested_tlb.empty() ? 9u : 5u));
    }
}

TEST_CASE("walk caches: a paging-structure entry brings the rights of the levels above it") {
    HandBuiltTables tables(walker({.paging_structures = {2}}), Paging::kNative);
    tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(5));
    tables.map(kVa + k4K, {region(1), region(2), region(3), region(4)}, region(6));
    const std::uint64_t pml4e = region(1) + 8 * HandBuiltTables::index(kVa, 4);
    tables.guest_memory.write(pml4e, tables.guest_memory.read(pml4e) & ~kRw);
    CHECK(tables.reads(kVa) == 4);
    CHECK(tables.translate(kVa + k4K, AccessKind::kStore).fault.kind == FaultKind::kPageFault);
}
