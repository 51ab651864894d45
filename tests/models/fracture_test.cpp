// Page fracturing: a guest page larger than the host pages behind it is cached in pieces, and Intel
// processors answer a page-selective invalidation with a flush of the TLB while such pieces may be
// there.

#include "tests/models/test_system.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kX = 0x4000'0000;                      // in a 2M guest page
constexpr std::uint64_t kU1 = 0x8000'1000, kU2 = 0x8000'2000;  // in 4K guest pages
constexpr std::uint64_t kG = 0xc000'0000;                      // a global 4K guest page

SystemParameters fractured_system(PageSize guest = PageSize::k2M, PageSize host = PageSize::k4K) {
    SystemParameters parameters = nested_system(PageSize::k4K, host);
    parameters.guest.regions = {{kX, k1G, guest}};
    return parameters;
}

MachineParameters machine_with(FractureParameters fracture) {
    MachineParameters machine = exact_machine();
    machine.fracture = fracture;
    return machine;
}

/// X fractured, U1 and U2 beside it.
struct Filled {
    explicit Filled(const MachineParameters& machine,
                    const SystemParameters& parameters = fractured_system())
        : system(machine, parameters) {
        system.map_global(kG);
        for (const std::uint64_t va : {kX, kX + 0x6000, kU1, kU2, kG}) system.load(va);
    }
    bool hits(std::uint64_t va) {
        system.load(va);
        return system.last().result == TranslationResult::kL1Hit;
    }

    TestSystem system;
};

}  // namespace

TEST_CASE("fracture: every processor drops all pieces of a page, whatever its address (T65)") {
    for (const MachineParameters& machine :
         {exact_machine(), fracturing_machine(), exact_amd_machine()}) {
        Filled filled(machine);
        filled.system.invlpg(kX + 0x9000);
        CHECK_FALSE(filled.hits(kX));
        CHECK_FALSE(filled.hits(kX + 0x6000));
    }
}

TEST_CASE("fracture: INVLPG of an unrelated page empties the TLB of an Intel guest (T66)") {
    Filled filled(fracturing_machine());
    filled.system.invlpg(kU1);
    CHECK(filled.system.last().fracture_flushes == 1);
    CHECK(filled.system.last().asked.page == 1);
    CHECK(filled.system.last().performed.all == 1);
    CHECK(filled.system.array("dtlb").size() == 0);
    CHECK(filled.system.array("stlb").size() == 0);
}

TEST_CASE("fracture: elsewhere only the page that was named goes (T66, T89)") {
    for (const MachineParameters& machine : {exact_machine(), exact_amd_machine()}) {
        Filled filled(machine);
        filled.system.invlpg(kU1);
        CHECK(filled.system.last().fracture_flushes == 0);
        CHECK_FALSE(filled.hits(kU1));
        for (const std::uint64_t va : {kU2, kX, kX + 0x6000, kG}) CHECK(filled.hits(va));
    }
}

TEST_CASE("fracture: guest 4K on host 2M and 2M on 2M are not fractured (T67)") {
    for (const PageSize guest : {PageSize::k4K, PageSize::k2M}) {
        Filled filled(fracturing_machine(), fractured_system(guest, PageSize::k2M));
        filled.system.invlpg(kU1);
        CHECK(filled.system.last().fracture_flushes == 0);
        for (const std::uint64_t va : {kU2, kX, kX + 0x6000, kG}) CHECK(filled.hits(va));
    }
}

TEST_CASE("fracture: globals go with the rest only where the machine says so (T68)") {
    for (const bool globals : {true, false}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.globals = globals;
        Filled filled(machine_with(fracture));
        filled.system.invlpg(kU1);
        CHECK(filled.hits(kG) == !globals);
        CHECK_FALSE(filled.hits(kU2));
    }
}

TEST_CASE(
    "fracture: after the flush nothing fractured is there, and INVLPG is selective again (T69)") {
    Filled filled(fracturing_machine());
    filled.system.invlpg(kU1);
    filled.system.load(kU1);
    filled.system.load(kU2);
    filled.system.invlpg(kU2);
    CHECK(filled.system.last().fracture_flushes == 0);
    CHECK(filled.hits(kU1));
    filled.system.load(kX);  // fractured again
    filled.system.invlpg(kU2);
    CHECK(filled.system.last().fracture_flushes == 1);
}

TEST_CASE("fracture: INVPCID 0 flushes only where the machine says so (T71)") {
    for (const bool invpcid : {true, false}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.invpcid = invpcid;
        Filled filled(machine_with(fracture));
        filled.system.invpcid(InvpcidType::kAddress, 0, kU1);
        CHECK(filled.system.last().fracture_flushes == (invpcid ? 1u : 0u));
        CHECK(filled.hits(kU2) == !invpcid);
        CHECK_FALSE(filled.hits(kU1));
    }
}

TEST_CASE("fracture: INVVPID 0 flushes only where the machine says so") {
    for (const bool invvpid : {true, false}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.invvpid = invvpid;
        fracture.scope = FractureScope::kEverything;
        Filled filled(machine_with(fracture));
        filled.system.vm_exit();
        filled.system.apply(Invvpid{InvvpidType::kAddress, Vpid(1), VirtAddr(kU1)});
        filled.system.vm_entry();
        CHECK(filled.hits(kU2) == !invvpid);
        CHECK_FALSE(filled.hits(kU1));
    }
}

// The sticky bit outlives the fractured entries; the exact model counts them.
TEST_CASE(
    "fracture: dropping the fractured page leaves the sticky bit set, and the exact one clear") {
    for (const FractureModel model : {FractureModel::kSticky, FractureModel::kExact}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.model = model;
        Filled filled(machine_with(fracture));
        filled.system.invpcid(InvpcidType::kAddress, 0, kX);  // both pieces, no flush
        filled.system.invlpg(kU1);
        CHECK(filled.system.last().fracture_flushes == (model == FractureModel::kSticky ? 1u : 0u));
    }
}

TEST_CASE(
    "fracture: an operation that leaves other entries leaves the sticky bit, one that leaves none "
    "clears it") {
    Filled kept(fracturing_machine());
    kept.system.reload_cr3();  // the global page stays
    kept.system.invlpg(kU1);
    CHECK(kept.system.last().fracture_flushes == 1);

    Filled emptied(fracturing_machine());
    emptied.system.apply(TogglePge{});
    emptied.system.load(kU1);
    emptied.system.invlpg(kU1);
    CHECK(emptied.system.last().fracture_flushes == 0);
}

TEST_CASE("fracture: replacement takes fractured entries and leaves the sticky bit") {
    for (const FractureModel model : {FractureModel::kSticky, FractureModel::kExact}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.model = model;
        MachineParameters machine = machine_with(fracture);
        for (std::vector<StructureParameters>* level : {&machine.l1_dtlb, &machine.stlb}) {
            level->front().entries = level->front().ways = 2;
        }
        Filled filled(machine);  // X, X+0x6000, U1, U2, G went through two entries
        filled.system.invlpg(kU1);
        CHECK(filled.system.last().fracture_flushes == (model == FractureModel::kSticky ? 1u : 0u));
    }
}

TEST_CASE("fracture: the scope of the flush is the machine's choice") {
    struct Case {
        FractureScope scope;
        bool other_pcid_stays;
        bool host_stays;
    };
    for (const Case& one : {Case{FractureScope::kCurrentPcid, true, true},
                            Case{FractureScope::kCurrentContext, false, true},
                            Case{FractureScope::kEverything, false, false}}) {
        FractureParameters fracture = fracturing_machine().fracture;
        fracture.scope = one.scope;
        TestSystem system(machine_with(fracture), fractured_system());
        system.vm_exit();
        system.load(kU1);  // the host's own
        system.vm_entry();
        use_two_pcids(system);
        system.keep_and_load("p2");
        system.load(kU2);
        system.keep_and_load("p1");
        system.load(kX);
        system.invlpg(kU1);
        CHECK(system.last().fracture_flushes == 1);
        system.keep_and_load("p2");
        CHECK((system.load(kU2) == "hit") == one.other_pcid_stays);
        system.vm_exit();
        CHECK((system.load(kU1) == "hit") == one.host_stays);
    }
}

// One VM's fractured page would otherwise cost a full flush for ever.
TEST_CASE("fracture: a flush whose scope leaves a fractured page leaves the bit set") {
    FractureParameters fracture = fracturing_machine().fracture;
    fracture.scope = FractureScope::kCurrentPcid;
    TestSystem system(machine_with(fracture), fractured_system());
    use_two_pcids(system);
    system.load(kX);
    system.keep_and_load("p2");
    system.load(kU1);
    for (int repeat = 0; repeat < 2; ++repeat) {
        system.invlpg(kU1);  // p1's pieces of X stay
        CHECK(system.last().fracture_flushes == 1);
    }
}

TEST_CASE(
    "fracture: a host page that is split under a guest page fractures it on the refill (T74)") {
    TestSystem system(fracturing_machine(), fractured_system(PageSize::k2M, PageSize::k2M));
    system.map_to(kX, 0x1'0000'0000, PageSize::k2M);
    system.load(kX);
    CHECK_FALSE(system.last().fractured_fill);
    system.vm_exit();
    system.apply(HostSplit{GuestPhysAddr(0x1'0000'0000)});
    system.apply(Invept{InveptType::kSingleContext, {}});
    system.vm_entry();
    system.load(kU1);
    system.invlpg(kU1);
    CHECK(system.last().fracture_flushes == 0);
    system.load(kX);
    CHECK(system.last().fractured_fill);
    system.invlpg(kU1);
    CHECK(system.last().fracture_flushes == 1);
}

TEST_CASE("fracture: shadow paging never fractures, and INVVPID 0 drops one 4K piece (T72)") {
    SystemParameters parameters = fractured_system();
    parameters.paging = Paging::kShadow;
    TestSystem system(fracturing_machine(), parameters);
    CHECK(system.load(kX) == "miss, 4 reads");  // the hardware sees 4K leaves
    CHECK(system.last().page_level == 1);
    CHECK(system.last().whole_level == 1);
    CHECK_FALSE(system.last().fractured_fill);
    system.load(kX + 0x6000);
    system.load(kU1);
    system.invlpg(kU1);
    CHECK(system.last().fracture_flushes == 0);
    CHECK(system.load(kX) == "hit");
    system.vm_exit();
    system.apply(Invvpid{InvvpidType::kAddress, Vpid(1), VirtAddr(kX)});
    system.vm_entry();
    CHECK(system.load(kX) != "hit");
    CHECK(system.load(kX + 0x6000) == "hit");
}

TEST_CASE("fracture: a native 1G page cached in 2M pieces does not count (P15)") {
    MachineParameters machine = fracturing_machine();
    machine.l1_dtlb = {unbounded("dtlb", held(MappingClass::kTranslation, {1, 2}))};
    TestSystem system(machine, {.guest = {.page_size = PageSize::k1G}});
    system.load(0);
    system.load(k2M);
    system.load(k1G);
    system.invlpg(k1G);
    CHECK(system.last().fracture_flushes == 0);
    CHECK(system.load(k2M) == "hit");
}
