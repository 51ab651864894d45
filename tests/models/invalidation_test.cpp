// What the operations that any supervisor may execute must drop, and what the exact machine then
// still holds: SDM "Operations that Invalidate TLBs and Paging-Structure Caches".

#include "tests/models/test_system.h"

#include <cstdint>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = k1G, kGlobal = 3 * k512G;

/// Spaces p1 and p2; A, C and a global page are filled under p1, A under p2. p1 is loaded.
struct TwoPcids {
    TwoPcids() {
        use_two_pcids(system);
        system.keep_and_load("p2");
        system.load(kA);
        system.keep_and_load("p1");
        system.map_global(kGlobal);
        for (const std::uint64_t page : {kA, kC, kGlobal}) system.load(page);
    }
    /// What a load finds under the other space.
    std::string load_in(const char* space, std::uint64_t va) {
        system.keep_and_load(space);
        return system.load(va);
    }

    TestSystem system{exact_machine()};
};

}  // namespace

TEST_CASE(
    "MOV CR3: without PCIDs everything but globals goes, paging-structure entries too (T01)") {
    TestSystem system(exact_machine());
    system.map_global(kGlobal);
    system.load(kA);
    system.load(kGlobal);
    system.reload_cr3();
    CHECK(system.last().asked.context == 1);
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.load(kGlobal) == "hit");
    system.evict(kGlobal);
    CHECK(system.load(kGlobal) == "miss, 4 reads");  // no paging-structure entry is global
}

TEST_CASE("MOV CR3: bit 63 keeps entries, tags keep PCIDs apart (T02)") {
    TestSystem system(exact_machine());
    use_two_pcids(system);
    system.load(kA);
    system.keep_and_load("p2");
    CHECK(system.last().dropped == Dropped{});
    CHECK(system.load(kA) == "miss, 4 reads");
    system.keep_and_load("p1");
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("MOV CR3: without bit 63 the PCID that is loaded is flushed, and no other (T04)") {
    TwoPcids two;
    two.system.flush_and_load("p2");  // flushes p2's
    CHECK(two.system.load(kA) == "miss, 4 reads");
    CHECK(two.load_in("p1", kA) == "hit");
    two.system.flush_and_load("p1");
    CHECK(two.system.load(kA) == "miss, 4 reads");
    CHECK(two.system.load(kGlobal) == "hit");
}

TEST_CASE("MOV CR3: bit 63 without PCIDs is #GP and flushes nothing (O4)") {
    TestSystem system(exact_machine());
    system.load(kA);
    system.apply(MovCr3{.keep_entries = true});
    CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("globals: an entry made under one PCID serves every PCID, stale or not (T05)") {
    TwoPcids two;
    two.system.keep_and_load("p2");
    two.system.map(kGlobal);  // another frame than p1's
    CHECK(two.system.load(kGlobal) == "hit, stale");
}

TEST_CASE("globals: INVLPG drops those of any PCID (T06)") {
    TwoPcids two;
    two.system.keep_and_load("p2");
    two.system.invlpg(kGlobal);
    CHECK(two.load_in("p1", kGlobal) == "miss, 1 read");  // p1's paging-structure entries stay
}

TEST_CASE("globals: G counts only with CR4.PGE at the time of the fill (T17)") {
    TestSystem system(exact_machine());
    system.clear_cr4(ControlFlag::kPge);
    system.map_global(kA);
    system.load(kA);
    system.reload_cr3();
    CHECK(system.load(kA) == "miss, 4 reads");
    system.set_cr4(ControlFlag::kPge);
    CHECK(system.load(kA) == "miss, 4 reads");
    system.reload_cr3();
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("globals: G in an entry that maps no page is ignored (T18)") {
    TestSystem system(exact_machine());
    system.map(kA);
    system.edit(kA, {.level = 2, .global = true});
    system.load(kA);
    system.reload_cr3();
    CHECK(system.load(kA) == "miss, 4 reads");
}

TEST_CASE("CR4.PGE: each change flushes everything, globals of every PCID included (T16)") {
    TwoPcids two;
    two.system.apply(TogglePge{});
    CHECK(two.system.last().asked.all == 2);
    CHECK(two.system.last().performed.all == 2);
    CHECK(two.system.array("stlb").size() == 0);
    CHECK(two.system.array("psc").size() == 0);
    two.system.load(kA);
    two.system.clear_cr4(ControlFlag::kPge);
    CHECK(two.system.load(kA) == "miss, 4 reads");
    two.system.clear_cr4(ControlFlag::kPge);  // no change
    CHECK(two.system.load(kA) == "hit");
}

TEST_CASE("CR4.PCIDE: clearing it flushes everything, setting it nothing (O6, O7)") {
    TestSystem system(exact_machine());
    system.load(kA);
    system.set_cr4(ControlFlag::kPcide);
    CHECK(system.load(kA) == "hit");
    system.clear_cr4(ControlFlag::kPcide);
    CHECK(system.load(kA) == "miss, 4 reads");
}

TEST_CASE("CR4.PCIDE: it cannot be set while CR3 holds a PCID other than 0") {
    TestSystem system(exact_machine());
    system.apply(DeclareSpace{"p1", Pcid(1)});
    system.flush_and_load("p1");
    system.set_cr4(ControlFlag::kPcide);
    CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
}

TEST_CASE("CR0.PG: clearing it flushes everything, and is #GP with PCIDs on (O13)") {
    const ControlFlags pg = flags({ControlFlag::kPg});
    TestSystem system(exact_machine());
    system.map_global(kGlobal);
    system.load(kGlobal);
    system.apply(MovCr0{{.clear = pg}});
    system.apply(MovCr0{{.set = pg}});
    CHECK(system.last().dropped == Dropped{});
    CHECK(system.load(kGlobal) == "miss, 4 reads");

    system.set_cr4(ControlFlag::kPcide);
    system.apply(MovCr0{{.clear = pg}});
    CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
    CHECK(system.load(kGlobal) == "hit");
}

TEST_CASE("INVLPG: one page goes, and every paging-structure entry of the PCID (T08)") {
    TwoPcids two;
    two.system.invlpg(kA);
    CHECK(two.system.last().asked.page == 1);
    CHECK(two.system.load(kC) == "hit");
    two.system.evict(kC);
    CHECK(two.system.load(kC) == "miss, 4 reads");
    CHECK(two.system.load(kA) == "miss, 3 reads");  // the walk of C brought their common PML4E back
    CHECK(two.load_in("p2", kA) == "hit");
    two.system.evict(kA);
    CHECK(two.system.load(kA) == "miss, 1 read");  // p2's paging-structure entries stayed
}

TEST_CASE("INVLPG: any address of a large page drops it, and only it") {
    TestSystem system(exact_machine(), {.guest = {.page_size = PageSize::k2M}});
    system.load(0);
    system.load(k2M);
    system.invlpg(k2M - 1);
    CHECK(system.load(k2M) == "hit");
    CHECK(system.load(0) == "miss, 3 reads");
}

TEST_CASE("INVLPG: of a non-canonical address it is no operation") {
    TestSystem system(exact_machine());
    system.load(kA);
    system.invlpg(std::uint64_t{1} << 47);
    CHECK(system.last().asked.page == 0);
    CHECK_FALSE(system.last().fault.raised());
    system.evict(kA);
    CHECK(system.load(kA) == "miss, 1 read");
}

TEST_CASE("INVPCID 0: one page of one PCID and its path, no global (T11)") {
    TwoPcids two;
    two.system.invpcid(InvpcidType::kAddress, 1, kGlobal);
    CHECK(two.system.load(kGlobal) == "hit");
    two.system.evict(kGlobal);
    CHECK(two.system.load(kGlobal) == "miss, 4 reads");  // but its path went

    two.system.load(kC);
    two.system.invpcid(InvpcidType::kAddress, 2, kA);  // another PCID's
    CHECK(two.system.load(kA) == "hit");
    two.system.invpcid(InvpcidType::kAddress, 1, kA);
    two.system.evict(kC);
    CHECK(two.system.load(kA) == "miss, 4 reads");
    CHECK(two.load_in("p2", kA) == "miss, 4 reads");
}

TEST_CASE("INVPCID 0: paging-structure entries that do not lead to the address stay (O17)") {
    TwoPcids two;
    two.system.invpcid(InvpcidType::kAddress, 1, kA);
    two.system.evict(kC);
    CHECK(two.system.load(kC) == "miss, 1 read");
}

TEST_CASE("INVPCID 1: all of one PCID but globals (T12)") {
    TwoPcids two;
    two.system.keep_and_load("p2");
    two.system.invpcid(InvpcidType::kSingleContext, 1);
    CHECK(two.system.load(kA) == "hit");
    CHECK(two.load_in("p1", kGlobal) == "hit");
    CHECK(two.system.load(kA) == "miss, 4 reads");
}

TEST_CASE("INVPCID 2 drops everything, INVPCID 3 all but globals (T14)") {
    TwoPcids two;
    two.system.invpcid(InvpcidType::kAllContexts);
    CHECK(two.system.load(kGlobal) == "hit");
    CHECK(two.system.load(kA) == "miss, 4 reads");
    CHECK(two.load_in("p2", kA) == "miss, 4 reads");
    two.system.invpcid(InvpcidType::kAllIncludingGlobals);
    CHECK(two.system.array("stlb").size() == 0);
    CHECK(two.system.array("psc").size() == 0);

    TestSystem without(exact_machine());
    without.map_global(kGlobal);
    without.load(kGlobal);
    without.invpcid(InvpcidType::kAllIncludingGlobals);
    CHECK(without.load(kGlobal) == "miss, 4 reads");
}

TEST_CASE("INVPCID: a PCID without CR4.PCIDE, or a non-canonical address, is #GP (T15)") {
    TestSystem system(exact_machine());
    system.load(kA);
    for (const InvpcidType type : {InvpcidType::kAddress, InvpcidType::kSingleContext}) {
        system.invpcid(type, 1, kA);
        CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
    }
    system.invpcid(InvpcidType::kAddress, 0, std::uint64_t{1} << 47);
    CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
    CHECK(system.load(kA) == "hit");
    system.invpcid(InvpcidType::kAddress, 0, kA);
    CHECK(system.load(kA) == "miss, 4 reads");
}

TEST_CASE("task switch: with another CR3 it flushes PCID 0, with the same nothing (T34)") {
    TestSystem system(exact_machine());
    system.apply(DeclareSpace{"other", {}});
    system.map_global(kGlobal);
    system.load(kA);
    system.load(kGlobal);
    system.apply(TaskSwitch{"s0"});
    CHECK(system.load(kA) == "hit");
    system.apply(TaskSwitch{"other"});
    system.apply(TaskSwitch{"s0"});
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.load(kGlobal) == "hit");
}

TEST_CASE("no negative caching: a page made present needs no flush (T21)") {
    TestSystem system(exact_machine());
    system.map(kA);
    system.load(kB);  // same page table
    system.edit(kA, {.present = false});
    CHECK(system.load(kA) == "page-fault");
    CHECK_FALSE(system.last().fault.present);
    system.edit(kA, {.present = true});
    CHECK(system.load(kA) == "miss, 4 reads");  // the fault dropped the path
}

TEST_CASE("SMI and RSM drop everything on AMD and nothing on Intel (T83)") {
    for (const bool amd : {true, false}) {
        TestSystem system(amd ? exact_amd_machine() : exact_machine());
        system.map_global(kGlobal);
        system.load(kGlobal);
        system.apply(SystemManagementInterrupt{});
        CHECK(system.load(kGlobal) == (amd ? "miss, 4 reads" : "hit"));
        system.apply(ResumeFromSmm{});
        CHECK(system.load(kGlobal) == (amd ? "miss, 4 reads" : "hit"));
    }
}
