// Walks with nothing cached: how many paging-structure entries are read, which, and in which order.
// A nested walk of n guest and m host levels makes (n + 1)(m + 1) - 1 reads: each of n guest
// entries needs m host reads to be found and one of its own, and the data needs m more.

#include "tests/models/hand_built_tables.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa =
    (std::uint64_t{1} << 47) - 0x1234'5678'9000;  // four different indices

/// Guest tables and data each in a 512G region of its own: region 1 holds the root.
std::uint64_t in_region(std::uint64_t region) { return region * k512G; }

struct Leaves {
    int guest{1};
    int host{1};
};

std::size_t nested_reads(Levels levels, Leaves leaves) {
    HandBuiltTables tables(walker({}), Paging::kNested, levels);
    std::vector<std::uint64_t> path;
    for (int level = levels.guest; level >= leaves.guest; --level) {
        path.push_back(in_region(path.size() + 1));
    }
    const std::uint64_t data = in_region(10);
    tables.map(kVa, path, data);
    for (const std::uint64_t table : path) tables.map_host(table, leaves.host);
    tables.map_host(data + (kVa & ((std::uint64_t{1} << HandBuiltTables::shift(leaves.guest)) - 1)),
                    leaves.host);
    return tables.reads(kVa);
}

std::size_t native_reads(int levels, int leaf) {
    HandBuiltTables tables(walker({}), Paging::kNative, {levels, 4});
    std::vector<std::uint64_t> path;
    for (int level = levels; level >= leaf; --level) path.push_back(in_region(path.size() + 1));
    tables.map(kVa, path, in_region(10));
    return tables.reads(kVa);
}

}  // namespace

TEST_CASE("walk: a native walk reads one entry a level") {
    CHECK(native_reads(4, 1) == 4);
    CHECK(native_reads(4, 2) == 3);
    CHECK(native_reads(4, 3) == 2);
    CHECK(native_reads(5, 1) == 5);
    CHECK(native_reads(5, 2) == 4);
    CHECK(native_reads(5, 3) == 3);
}

TEST_CASE("walk: a nested walk of n and m levels makes (n+1)(m+1)-1 reads") {
    CHECK(nested_reads({4, 4}, {1, 1}) == 24);  // 5 * 5 - 1
    CHECK(nested_reads({5, 4}, {1, 1}) == 29);  // 6 * 5 - 1
    CHECK(nested_reads({4, 5}, {1, 1}) == 29);  // 5 * 6 - 1
    CHECK(nested_reads({5, 5}, {1, 1}) == 35);  // 6 * 6 - 1
}

TEST_CASE("walk: a large leaf shortens its dimension") {
    CHECK(nested_reads({4, 4}, {2, 1}) == 19);  // 3 * (4+1) + 4
    CHECK(nested_reads({4, 4}, {1, 2}) == 19);  // 4 * (3+1) + 3
    CHECK(nested_reads({4, 4}, {2, 2}) == 15);  // 3 * (3+1) + 3
    CHECK(nested_reads({4, 4}, {3, 1}) == 14);  // 2 * (4+1) + 4
    CHECK(nested_reads({4, 4}, {1, 3}) == 14);  // 4 * (2+1) + 2
    CHECK(nested_reads({4, 4}, {3, 3}) == 8);   // 2 * (2+1) + 2
    CHECK(nested_reads({5, 5}, {2, 2}) == 24);  // 4 * (4+1) + 4
}

TEST_CASE("walk: the 24 reads of a nested walk come in the published order") {
    // The i-th guest table from the root is at G[i]; the fifth guest-physical address is the data.
    const std::vector<std::uint64_t> gpas{in_region(1), in_region(2), in_region(3), in_region(4),
                                          in_region(5)};
    HandBuiltTables tables(walker({}), Paging::kNested);
    tables.map(kVa, {gpas[0], gpas[1], gpas[2], gpas[3]}, gpas[4]);
    for (const std::uint64_t gpa : gpas) tables.map_host(gpa);

    const Outcome& outcome = tables.translate(kVa);
    REQUIRE(outcome.reads.size() == 24);
    std::size_t at = 0;
    for (std::size_t row = 0; row < 5; ++row) {
        const int guest_level = 4 - static_cast<int>(row);
        const std::uint64_t guest_entry =
            row < 4 ? 8 * HandBuiltTables::index(kVa, guest_level) : 0;
        for (int level = 4; level >= 1; --level, ++at) {
            CHECK(outcome.reads[at].dimension == Dimension::kHost);
            CHECK(outcome.reads[at].level == level);
            CHECK(outcome.reads[at].location.value() == tables.host_entry(gpas[row], level));
        }
        if (row == 4) break;
        CHECK(at == 5 * row + 4);  // references 5, 10, 15 and 20 are the guest's
        CHECK(outcome.reads[at].dimension == Dimension::kGuest);
        CHECK(outcome.reads[at].level == guest_level);
        CHECK(outcome.reads[at].location.value() == gpas[row] + guest_entry + kHostOffset);
        CHECK(outcome.reads[at].guest_location == gpas[row] + guest_entry);
        ++at;
    }
    CHECK(outcome.physical == gpas[4] + kHostOffset);
    CHECK(outcome.reads_of(Dimension::kGuest) == 4);
    CHECK(outcome.reads_of(Dimension::kHost) == 20);
}

TEST_CASE("walk: the physical address is the frame and the offset within the smaller page") {
    HandBuiltTables tables(walker({}), Paging::kNested);
    const std::uint64_t va = 0x7f00'0012'3458;
    tables.map(va, {in_region(1), in_region(2), in_region(3)}, in_region(5));  // a 2M guest page
    for (const std::uint64_t region : {1u, 2u, 3u}) tables.map_host(in_region(region));
    tables.map_host(in_region(5) + 0x12'3000);  // of which the host maps 4K pieces
    const Outcome& outcome = tables.translate(va);
    CHECK(outcome.physical == in_region(5) + 0x12'3458 + kHostOffset);
    CHECK(outcome.page_level == 1);
    CHECK(outcome.whole_level == 2);
    CHECK(outcome.fractured_fill);
}

TEST_CASE("walk: a 4K guest page on a 2M host page is cached as 4K and is not fractured") {
    HandBuiltTables tables(walker({}), Paging::kNested);
    tables.map(kVa, {in_region(1), in_region(2), in_region(3), in_region(4)},
               in_region(5) + 0x7000);
    for (const std::uint64_t region : {1u, 2u, 3u, 4u, 5u}) tables.map_host(in_region(region), 2);
    const Outcome& outcome = tables.translate(kVa);
    CHECK(outcome.physical == in_region(5) + 0x7000 + kHostOffset);
    CHECK(outcome.page_level == 1);
    CHECK(outcome.whole_level == 1);
    CHECK_FALSE(outcome.fractured_fill);
}

TEST_CASE(
    "walk: an absent or malformed guest entry ends the walk there and leaves nothing of itself") {
    for (int level = 4; level >= 1; --level) {
        for (const bool absent : {true, false}) {
            HandBuiltTables tables(exact_machine(), Paging::kNested);
            const std::vector<std::uint64_t> path{in_region(1), in_region(2), in_region(3),
                                                  in_region(4)};
            tables.map(kVa, path, in_region(5));
            for (const std::uint64_t table : path) tables.map_host(table);
            tables.map_host(in_region(5));
            const std::uint64_t location =
                path[static_cast<std::size_t>(4 - level)] + 8 * HandBuiltTables::index(kVa, level);
            const std::uint64_t good = tables.guest_memory.read(location);
            const std::uint64_t bad = absent ? good & ~kP : good | std::uint64_t{1} << 51;
            tables.guest_memory.write(location, bad);

            const Outcome& fault = tables.translate(kVa);
            CHECK(fault.fault.kind == FaultKind::kPageFault);
            CHECK(fault.fault.reserved == !absent);
            CHECK(fault.fault.present == !absent);
            CHECK(fault.reads.back().level == level);
            CHECK(fault.reads.size() == static_cast<std::size_t>(5 * (5 - level)));

            tables.guest_memory.write(location, good);
            tables.regime.generation = 2;
            CHECK(tables.translate(kVa).result == TranslationResult::kMiss);
        }
    }
}

TEST_CASE("walk: an absent host entry is an EPT violation, a malformed one a misconfiguration") {
    for (const bool absent : {true, false}) {
        HandBuiltTables tables(walker({}), Paging::kNested);
        tables.map(kVa, {in_region(1), in_region(2), in_region(3), in_region(4)}, in_region(5));
        for (const std::uint64_t region : {1u, 2u, 3u, 4u, 5u}) tables.map_host(in_region(region));
        const std::uint64_t location = tables.host_entry(in_region(5), 2);
        const std::uint64_t good = tables.host_memory.read(location);
        // Writable and not readable is the misconfiguration.
        tables.host_memory.write(location, absent ? good & ~kEptRwx : good & ~std::uint64_t{1});
        const Outcome& outcome = tables.translate(kVa);
        CHECK(outcome.fault.kind ==
              (absent ? FaultKind::kEptViolation : FaultKind::kEptMisconfiguration));
        CHECK(outcome.fault.gpa.value() == in_region(5));
        CHECK_FALSE(outcome.fault.on_guest_table);
        CHECK(outcome.reads.size() == 23);  // all but the last host entry
        CHECK(outcome.exits == 1);
    }
}
