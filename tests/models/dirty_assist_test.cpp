// A store that hits a TLB entry whose D bit is cached as clear is neither a plain hit nor a miss: a
// dirty assist walks, sets D in memory and in the entry.

#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kD = 1 << 6;

SystemParameters clear_bits(SystemParameters parameters = {}) {
    parameters.accessed_dirty_preset = false;
    return parameters;
}

}  // namespace

TEST_CASE(
    "dirty assist: the first store to a page read before sets D, the second is a plain hit (T31)") {
    TestSystem system(exact_machine(), clear_bits());
    CHECK(system.load(0x1000) == "miss, 4 reads");
    CHECK((system.entry(0x1000, 1) & kD) == 0);
    CHECK(system.store(0x1000) == "hit, 1 read, dirty assist");
    CHECK_FALSE(system.last().l1_missed);
    CHECK_FALSE(system.last().stlb_missed);
    CHECK((system.entry(0x1000, 1) & kD) != 0);
    CHECK(system.store(0x1000) == "hit");
    CHECK(system.load(0x1000) == "hit");
}

TEST_CASE("dirty assist: a page first touched by a store needs none") {
    TestSystem system(exact_machine(), clear_bits());
    CHECK(system.store(0x1000) == "miss, 4 reads");
    CHECK(system.store(0x1000) == "hit");
}

TEST_CASE("dirty assist: D cleared in memory is not set again while the entry lives (T32)") {
    TestSystem system(exact_machine(), clear_bits());
    system.store(0x1000);
    system.edit(0x1000, {.dirty = false});
    CHECK(system.store(0x1000) == "hit");
    CHECK((system.entry(0x1000, 1) & kD) == 0);
    system.invlpg(0x1000);
    CHECK(system.store(0x1000) == "miss, 4 reads");
    CHECK((system.entry(0x1000, 1) & kD) != 0);
}

TEST_CASE("dirty assist: an STLB entry with D clear is assisted, and both levels learn of it") {
    MachineParameters machine = exact_machine();
    machine.l1_dtlb = {
        {.name = "dtlb", .entries = 1, .ways = 1, .holds = held(MappingClass::kTranslation, {1})}};
    TestSystem system(machine, clear_bits());
    system.load(0x1000);
    system.load(0x2000);
    CHECK(system.store(0x1000) == "STLB hit, 1 read, dirty assist");
    CHECK(system.store(0x1000) == "hit");
    system.load(0x2000);
    CHECK(system.store(0x1000) == "STLB hit");
}

// Guest D and EPT D are cached apart: a store is a plain hit only if both are set.
TEST_CASE("dirty assist: a D that only the EPT lacks is set by an assist") {
    SystemParameters parameters = nested_system();
    parameters.host.accessed_dirty = true;
    parameters.accessed_dirty_preset = false;
    TestSystem system(exact_machine(), parameters);
    system.load(0x1000);
    system.edit(0x1000, {.dirty = true});  // the guest's D is set, by software
    system.invlpg(0x1000);
    system.load(0x1000);
    // From the guest's PDE: the PTE, then the host's leaf, whose cached translation lacks D.
    system.store(0x1000);
    CHECK(system.last().dirty_assist);
    CHECK(system.last().reads_of(Dimension::kGuest) == 1);
    CHECK(system.last().reads_of(Dimension::kHost) == 1);
    CHECK(system.last().reads.back().set_dirty);
    CHECK(system.store(0x1000) == "hit");
}

TEST_CASE("dirty assist: an EPT without A and D asks for none of its own") {
    SystemParameters parameters = nested_system();
    TestSystem system(exact_machine(), parameters);
    system.load(0x1000);
    CHECK(system.store(0x1000) == "hit");
}

TEST_CASE("dirty assist: it takes nothing from the instruction side") {
    MachineParameters machine = exact_machine();
    machine.stlb_instruction = {unbounded_tlb("stlb-i")};
    TestSystem system(machine, clear_bits());
    CHECK(system.fetch(0x1000) == "miss, 4 reads");
    CHECK(system.load(0x1000) == "miss, 1 read");
    CHECK(system.store(0x1000) == "hit, 1 read, dirty assist");
    CHECK(system.fetch(0x1000) == "hit");
}

TEST_CASE("dirty assist: a page made read-only since faults in the walk, as after a miss") {
    TestSystem system(exact_machine(), clear_bits());
    system.load(0x1000);
    system.edit(0x1000, {.writable = false});
    CHECK(system.store(0x1000) == "page-fault");
    CHECK(system.load(0x1000) == "miss, 4 reads");
}

// The entry that is replaced carries PCID 1, the one that replaces it PCID 2.
TEST_CASE("dirty assist: a global entry made under another PCID is replaced, not doubled") {
    TestSystem system(exact_machine(), clear_bits());
    use_two_pcids(system);
    for (const char* space : {"p1", "p2"}) {
        system.keep_and_load(space);
        system.apply(Map{.va = VirtAddr(0x1000),
                         .size = PageSize::k4K,
                         .to = 0x9000,
                         .global = true,
                         .user = true});
    }
    CHECK(system.load(0x1000) == "miss, 4 reads");
    system.keep_and_load("p1");
    CHECK(system.store(0x1000) == "hit, 4 reads, dirty assist");
    CHECK(system.array("dtlb").size() == 1);
    CHECK(system.array("stlb").size() == 1);
}
