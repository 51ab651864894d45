// Accessed and dirty bits: which entries a walk writes, what counts as a write in the host
// dimension, and the EPT violations that such writes end in.

#include "tests/models/hand_built_tables.h"

#include <cstdint>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

using References = std::set<std::size_t>;

constexpr std::uint64_t kVa = 0x1234'5678'9000;
constexpr std::uint64_t region(std::uint64_t number) { return number * k512G; }

enum class HostBits { kEptWithBits, kEptWithoutBits, kNpt };
enum class Start { kAllClear, kGuestSet };

/// A 4x4 nested mapping of kVa whose entries have A and D clear.
HandBuiltTables clear_tables(HostBits host, Start start = Start::kAllClear,
                             const WalkCaches& caches = {}) {
    MachineParameters machine = walker(caches);
    if (host == HostBits::kNpt) machine.vendor = Vendor::kAmd;
    HandBuiltTables tables(machine, Paging::kNested);
    tables.regime.host_accessed_dirty = host != HostBits::kEptWithoutBits;
    tables.host_bits = host == HostBits::kNpt ? kP | kRw | kUs : kEptRwx;
    if (start == Start::kAllClear) tables.guest_bits = kP | kRw | kUs;
    tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(5));
    for (const std::uint64_t number : {1u, 2u, 3u, 4u, 5u}) tables.map_host(region(number));
    return tables;
}

/// Numbers (from 1) of the reads of one dimension whose entry the walk wrote A or D into.
References written(const Outcome& outcome, Dimension dimension, bool EntryRead::*bit) {
    References references;
    for (std::size_t at = 0; at < outcome.reads.size(); ++at) {
        const EntryRead& read = outcome.reads[at];
        if (read.dimension == dimension && read.*bit) references.insert(at + 1);
    }
    return references;
}

const References kGuestReads{5, 10, 15, 20};
const References kHostReads{1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21, 22, 23, 24};

/// The guest entry of `level` (4 to 1), whose table is in region 5 - level.
std::uint64_t guest_entry(int level) {
    return region(static_cast<std::uint64_t>(5 - level)) + 8 * HandBuiltTables::index(kVa, level);
}

/// Takes the write permission of the host page behind the guest's page table.
void protect_page_table(HandBuiltTables& tables) {
    const std::uint64_t location = tables.host_entry(region(4), 1);
    tables.host_memory.write(location, tables.host_memory.read(location) & ~kRw);
}

}  // namespace

TEST_CASE("A and D: the first store writes all 24 entries, D where the host page is written") {
    for (const HostBits host : {HostBits::kEptWithBits, HostBits::kNpt}) {
        HandBuiltTables tables = clear_tables(host);
        const Outcome& outcome = tables.translate(kVa, AccessKind::kStore);
        REQUIRE(outcome.reads.size() == 24);
        CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_accessed) == kGuestReads);
        CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_dirty) == References{20});
        CHECK(written(outcome, Dimension::kHost, &EntryRead::set_accessed) == kHostReads);
        // Reading a guest's table counts as a write to it: 4, 9, 14, 19. The store itself: 24.
        CHECK(written(outcome, Dimension::kHost, &EntryRead::set_dirty) ==
              References{4, 9, 14, 19, 24});
    }
}

TEST_CASE("A and D: the first load sets no D for the data, and D for the guest's tables (T58)") {
    for (const HostBits host : {HostBits::kEptWithBits, HostBits::kNpt}) {
        for (const Start start : {Start::kAllClear, Start::kGuestSet}) {
            HandBuiltTables tables = clear_tables(host, start);
            const Outcome& outcome = tables.translate(kVa);
            CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_accessed) ==
                  (start == Start::kAllClear ? kGuestReads : References{}));
            CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_dirty).empty());
            CHECK(written(outcome, Dimension::kHost, &EntryRead::set_accessed) == kHostReads);
            CHECK(written(outcome, Dimension::kHost, &EntryRead::set_dirty) ==
                  References{4, 9, 14, 19});
        }
    }
}

TEST_CASE("A and D: an EPT without A and D is not written, the guest's entries are") {
    HandBuiltTables tables = clear_tables(HostBits::kEptWithoutBits);
    const Outcome& outcome = tables.translate(kVa, AccessKind::kStore);
    CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_accessed) == kGuestReads);
    CHECK(written(outcome, Dimension::kGuest, &EntryRead::set_dirty) == References{20});
    CHECK(written(outcome, Dimension::kHost, &EntryRead::set_accessed).empty());
    CHECK(written(outcome, Dimension::kHost, &EntryRead::set_dirty).empty());
}

TEST_CASE("A and D: what a walk wrote stands in memory, and the next walk writes nothing") {
    for (const HostBits host : {HostBits::kEptWithBits, HostBits::kNpt}) {
        HandBuiltTables tables = clear_tables(host);
        const bool npt = host == HostBits::kNpt;
        const std::uint64_t accessed = npt ? kA : kEptA, dirty = npt ? kD : kEptD;
        tables.translate(kVa, AccessKind::kStore);
        for (int level = 4; level >= 1; --level) {
            CHECK((tables.guest_memory.read(guest_entry(level)) & kA) != 0);
            const std::uint64_t raw = tables.host_memory.read(tables.host_entry(region(5), level));
            CHECK((raw & accessed) != 0);
            CHECK((raw & dirty) == (level == 1 ? dirty : 0));
        }
        const Outcome& again = tables.translate(kVa, AccessKind::kStore);
        for (const EntryRead& read : again.reads)
            CHECK_FALSE((read.set_accessed || read.set_dirty));
    }
}

TEST_CASE("A and D: a native walk sets A on the way down and D on a store") {
    HandBuiltTables tables(walker({}), Paging::kNative);
    tables.guest_bits = kP | kRw | kUs;
    tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(5));
    const Outcome& load = tables.translate(kVa);
    CHECK(written(load, Dimension::kGuest, &EntryRead::set_accessed) == References{1, 2, 3, 4});
    CHECK(written(load, Dimension::kGuest, &EntryRead::set_dirty).empty());
    const Outcome& store = tables.translate(kVa, AccessKind::kStore);
    CHECK(written(store, Dimension::kGuest, &EntryRead::set_accessed).empty());
    CHECK(written(store, Dimension::kGuest, &EntryRead::set_dirty) == References{4});
}

TEST_CASE("A and D: an entry that is not present gets neither") {
    HandBuiltTables tables(walker({}), Paging::kNative);
    tables.guest_bits = kRw | kUs;
    tables.map(kVa, {region(1), region(2), region(3), region(4)}, region(5));
    CHECK(tables.translate(kVa).fault.kind == FaultKind::kPageFault);
    CHECK((tables.guest_memory.read(guest_entry(4)) & (kA | kD)) == 0);
}

TEST_CASE("EPT violation: A and D on, a guest's table must be writable even for a load (T57)") {
    HandBuiltTables tables = clear_tables(HostBits::kEptWithBits, Start::kGuestSet);
    protect_page_table(tables);
    const Outcome& outcome = tables.translate(kVa);
    CHECK(outcome.fault.kind == FaultKind::kEptViolation);
    CHECK(outcome.fault.for_entry_write);  // exit qualification bits 0 and 1
    CHECK(outcome.fault.on_guest_table);   // bit 8 clear
    CHECK(outcome.fault.gpa.value() == guest_entry(1));
    CHECK(outcome.reads.size() == 19);
}

TEST_CASE("EPT violation: A and D off, only the update of a guest entry is a write (T56)") {
    HandBuiltTables set = clear_tables(HostBits::kEptWithoutBits, Start::kGuestSet);
    protect_page_table(set);
    CHECK(set.translate(kVa).result == TranslationResult::kMiss);

    HandBuiltTables clear = clear_tables(HostBits::kEptWithoutBits);
    protect_page_table(clear);
    const Outcome& outcome = clear.translate(kVa);
    CHECK(outcome.fault.kind == FaultKind::kEptViolation);
    CHECK(outcome.fault.for_entry_write);
    CHECK(outcome.fault.on_guest_table);
    CHECK(outcome.fault.gpa.value() == guest_entry(1));
    CHECK(outcome.reads.size() == 20);  // the guest's PTE was read, and not written
    CHECK((clear.guest_memory.read(guest_entry(1)) & kA) == 0);
}

TEST_CASE("EPT violation: A and D off, setting D in a read-only table is refused as well") {
    HandBuiltTables tables = clear_tables(HostBits::kEptWithoutBits);
    CHECK(tables.translate(kVa).result == TranslationResult::kMiss);  // sets A
    protect_page_table(tables);
    CHECK(tables.translate(kVa).result == TranslationResult::kMiss);
    CHECK(tables.translate(kVa, AccessKind::kStore).fault.kind == FaultKind::kEptViolation);
}

// The combined PDE knows that the table it leads to cannot be written.
TEST_CASE("EPT violation: the update of a guest entry is refused on a walk from a cached PDE too") {
    HandBuiltTables tables =
        clear_tables(HostBits::kEptWithoutBits, Start::kGuestSet, {.paging_structures = {2}});
    protect_page_table(tables);
    tables.guest_bits = kP | kRw | kUs;
    tables.map(kVa + k4K, {region(1), region(2), region(3), region(4)}, region(5));
    // map() wrote all four levels; put A back into the upper ones.
    for (int level = 4; level > 1; --level) {
        tables.guest_memory.write(guest_entry(level),
                                  tables.guest_memory.read(guest_entry(level)) | kA);
    }
    CHECK(tables.translate(kVa).result == TranslationResult::kMiss);
    const Outcome& outcome = tables.translate(kVa + k4K);
    CHECK(outcome.start_level == 2);
    CHECK(outcome.fault.kind == FaultKind::kEptViolation);
    CHECK(outcome.fault.for_entry_write);
}

TEST_CASE("NPT: a guest's table must be writable at the nested level, always (F7)") {
    HandBuiltTables tables = clear_tables(HostBits::kNpt, Start::kGuestSet);
    protect_page_table(tables);
    const Outcome& outcome = tables.translate(kVa);
    CHECK(outcome.fault.kind == FaultKind::kNestedPageFault);
    CHECK(outcome.fault.on_guest_table);
    CHECK(outcome.reads.size() == 19);
}

TEST_CASE("NPT: accesses are user accesses at the nested level") {
    HandBuiltTables tables = clear_tables(HostBits::kNpt, Start::kGuestSet);
    const std::uint64_t location = tables.host_entry(region(5), 1);
    tables.host_memory.write(location, tables.host_memory.read(location) & ~kUs);
    CHECK(tables.translate(kVa).fault.kind == FaultKind::kNestedPageFault);
}

TEST_CASE("EPT violation: data needs R for loads, W for stores, X for fetches") {
    struct Refusal {
        std::uint64_t right;
        AccessKind refused;
    };
    for (const Refusal& refusal :
         {Refusal{kRw, AccessKind::kStore}, Refusal{4, AccessKind::kFetch}}) {
        HandBuiltTables tables = clear_tables(HostBits::kEptWithoutBits, Start::kGuestSet);
        const std::uint64_t location = tables.host_entry(region(5), 1);
        tables.host_memory.write(location, tables.host_memory.read(location) & ~refusal.right);
        CHECK(tables.translate(kVa).result == TranslationResult::kMiss);
        const Outcome& outcome = tables.translate(kVa, refusal.refused);
        CHECK(outcome.fault.kind == FaultKind::kEptViolation);
        CHECK(outcome.fault.access == refusal.refused);
        CHECK_FALSE(outcome.fault.on_guest_table);
    }
    HandBuiltTables execute_only = clear_tables(HostBits::kEptWithoutBits, Start::kGuestSet);
    const std::uint64_t location = execute_only.host_entry(region(5), 1);
    execute_only.host_memory.write(location,
                                   (execute_only.host_memory.read(location) & ~kEptRwx) | 4);
    CHECK(execute_only.translate(kVa).fault.kind == FaultKind::kEptViolation);
    CHECK(execute_only.translate(kVa, AccessKind::kFetch).result == TranslationResult::kMiss);
}

TEST_CASE("EPT violation: rights of all levels are ANDed") {
    HandBuiltTables tables = clear_tables(HostBits::kEptWithoutBits, Start::kGuestSet);
    const std::uint64_t location = tables.host_entry(region(5), 3);
    tables.host_memory.write(location, tables.host_memory.read(location) & ~kRw);
    CHECK(tables.translate(kVa).result == TranslationResult::kMiss);
    CHECK(tables.translate(kVa, AccessKind::kStore).fault.kind == FaultKind::kEptViolation);
}
