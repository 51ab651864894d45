// Translations that outlive a change of the tables: legal, counted, and told apart from fresh ones
// by a walk of the tables as they stand.

#include "tests/models/test_system.h"

#include <cstdint>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = 0x2000;
constexpr std::uint64_t kF1 = 0x9000, kF2 = 0xa000;

}  // namespace

TEST_CASE("stale: a page that moved is found where it was until it is invalidated (T23)") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.load(kA);
    system.map_to(kA, kF2);
    CHECK(system.load(kA) == "hit, stale");
    CHECK(system.last().physical == kF1);
    system.invlpg(kA);
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.last().physical == kF2);
}

TEST_CASE("stale: a page made absent is found until it is invalidated (T24)") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.store(kA);
    system.edit(kA, {.present = false});
    CHECK(system.store(kA) == "hit, stale");
    system.invlpg(kA);
    CHECK(system.store(kA) == "page-fault");
}

TEST_CASE("stale: rights that were taken are still there until it is invalidated") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.load(kA);
    system.edit(kA, {.writable = false});
    CHECK(system.store(kA) == "hit, stale rights");
    system.invlpg(kA);
    CHECK(system.store(kA) == "page-fault");
}

TEST_CASE("stale: rights that were added are found by a second walk, with no fault (T22)") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.edit(kA, {.writable = false});
    system.load(kA);
    system.edit(kA, {.writable = true});
    // The entry and those that led to it are dropped before the tables are asked.
    CHECK(system.store(kA) == "miss, 4 reads, rights rewalk");
    CHECK(system.store(kA) == "hit");
}

TEST_CASE("stale: a write of the tables that changes nothing makes nothing stale") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.load(kA);
    system.map_to(kB, kF2);
    system.edit(kA, {.writable = true});
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("stale: a walk through a cached entry of a freed table is stale, not wrong") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.map_to(kB, kF2);
    system.load(kA);
    system.edit(kA, {.level = 2, .to = 0x5555'0000});  // another, empty page table
    CHECK(system.load(kB) == "miss, 1 read, stale");
    CHECK(system.last().physical == kF2);
}

// The cached PDE leads to a table whose entry is absent; the tables as they stand have the page.
TEST_CASE("stale: a fault found through a cached entry is confirmed from the root") {
    TestSystem system(exact_machine());
    system.map_to(kA, kF1);
    system.map_to(kB, kF2);
    system.load(kA);
    const std::uint64_t old_table = system.entry(kA, 2) & 0x000f'ffff'ffff'f000;
    system.edit(kA, {.level = 2, .to = 0x5555'0000});
    system.map_to(kB, kF1);
    system.state().software[0].memory.write(old_table + 8 * 2, 0);  // B's entry in the old table
    CHECK(system.load(kB) == "miss, 5 reads");  // 1 from the PDE, 4 from the root
    CHECK(system.last().fault_rewalk);
    CHECK(system.last().physical == kF1);
}

TEST_CASE("promotion without a flush: old 4K entries live on beside the 2M page (T28)") {
    TestSystem system(exact_machine());
    system.map(kA);
    system.map(kB);
    system.load(kA);
    system.apply(Collapse{VirtAddr(kA), {}});
    CHECK(system.load(kA) == "hit, stale");
    CHECK(system.last().page_level == 1);
    CHECK(system.load(kB) == "miss, 1 read, stale");  // through the PDE into the old page table
    system.invlpg(kA);
    CHECK(system.load(kA) == "miss, 3 reads");
    CHECK(system.last().page_level == 2);
    // B was another page when it was filled; now the 2M page covers it too.
    CHECK(system.load(kB) == "hit, stale, ambiguous");
    CHECK(system.last().page_level == 1);
}

TEST_CASE("promotion without a flush: where two sizes match, the smaller is used (T29)") {
    TestSystem system(exact_machine());
    system.map(kA);
    system.load(kA);
    system.apply(Collapse{VirtAddr(kA), {}});
    system.invlpg(k512G);
    CHECK(system.load(kB) == "miss, 3 reads");
    CHECK(system.load(kB) == "hit");
    CHECK(system.load(kA) == "hit, stale, ambiguous");
    CHECK(system.last().page_level == 1);
    system.invlpg(kA);  // drops both
    CHECK(system.load(kA) == "miss, 3 reads");
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("demotion without a flush: an invalidation drops the whole 2M page (T30)") {
    TestSystem system(exact_machine(), {.guest = {.page_size = PageSize::k2M}});
    system.load(kA);
    system.apply(Split{VirtAddr(kA), {}});
    CHECK(system.load(kB) == "hit, stale");  // same frame, another size
    system.invlpg(0x3000);
    CHECK(system.load(kB) == "miss, 4 reads");
    CHECK(system.last().page_level == 1);
    CHECK(system.load(kA) == "miss, 1 read");
}

TEST_CASE("stale: a host page that moved is found where it was until INVEPT") {
    TestSystem system(exact_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.load(kA);
    const std::uint64_t before = system.last().physical;
    system.apply(HostMap{GuestPhysAddr(0x7000'0000), PageSize::k4K, PhysAddr(kF1)});
    CHECK(system.load(kA) == "hit, stale");
    CHECK(system.last().physical == before);
    // The guest's own flush does not touch guest-physical mappings.
    system.invlpg(kA);
    CHECK(system.load(kA) == "miss, 4 reads, stale");
    CHECK(system.last().physical == before);
    system.vm_exit();
    system.apply(Invept{InveptType::kSingleContext, {}});
    system.vm_entry();
    system.load(kA);
    CHECK(system.last().physical == kF1);
    CHECK_FALSE(system.last().stale);
}

TEST_CASE(
    "stale: a new root seen through a global entry is noticed without a write to the tables") {
    TestSystem system(exact_machine());
    system.apply(DeclareSpace{"other", {}});
    system.map_global(kA);
    system.flush_and_load("other");
    system.map_to(kA, kF2);
    system.flush_and_load("s0");
    system.load(kA);
    CHECK(system.load(kA) == "hit");
    system.flush_and_load("other");
    CHECK(system.load(kA) == "hit, stale");
}
