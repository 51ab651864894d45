// VPIDs and EPT on Intel: what VM transitions, INVVPID, INVEPT and EPT violations drop, and which
// mappings the ordinary operations of a guest leave alone. SDM "Operations that Invalidate Cached
// Mappings".

#include "tests/models/test_system.h"

#include <cstdint>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = k1G, kGlobal = 3 * k512G;

SystemParameters without_vpid() {
    SystemParameters parameters = nested_system();
    parameters.vpid = false;
    return parameters;
}

/// A, B and a global page cached by the guest vm0 (VPID 1) and by the host. The guest runs.
struct GuestAndHost {
    GuestAndHost() {
        system.vm_exit();
        fill();
        system.vm_entry();
        fill();
    }
    void fill() {
        system.map_global(kGlobal);
        for (const std::uint64_t va : {kA, kB, kGlobal}) system.load(va);
    }
    void in_root(const Operation& operation) {
        system.vm_exit();
        system.apply(operation);
        refused = system.last().fault.raised();
        system.vm_entry();
    }
    bool guest_hits(std::uint64_t va) { return system.load(va) == "hit"; }
    bool host_hits(std::uint64_t va) {
        system.vm_exit();
        const bool hit = system.load(va) == "hit";
        system.vm_entry();
        return hit;
    }

    TestSystem system{exact_machine(), nested_system()};
    bool refused{};
};

}  // namespace

TEST_CASE("VMX: without VPIDs entry and exit drop all of VPID 0, globals included (T36)") {
    TestSystem system(exact_machine(), without_vpid());
    system.vm_exit();
    system.map_global(kGlobal);
    system.load(kGlobal);
    system.vm_entry();
    system.load(kA);
    system.vm_exit();
    CHECK(system.load(kGlobal) == "miss, 4 reads");
}

TEST_CASE("VMX: without VPIDs nothing linear or combined outlives either transition (V1)") {
    TestSystem system(exact_machine(), without_vpid());
    const auto linear_and_combined = [&] {
        return system.array("dtlb").size() + system.array("stlb").size() +
               system.array("psc").size();
    };
    system.load(kA);
    system.vm_exit();
    CHECK(linear_and_combined() == 0);
    system.load(kA);
    system.vm_entry();
    CHECK(linear_and_combined() == 0);
}

TEST_CASE("VMX: without VPIDs guest-physical mappings survive an exit and an entry (T37)") {
    TestSystem system(exact_machine(), without_vpid());
    system.load(kA);
    system.vm_exit();
    system.vm_entry();
    CHECK(system.load(kA) == "miss, 4 reads");  // the guest's entries; tables and data are cached
    CHECK(system.last().reads_of(Dimension::kGuest) == 4);

    // A page of the same tables whose data has no guest-physical translation: four host reads more.
    MachineParameters machine = exact_machine();
    machine.nested_paging_structure_caches.clear();
    TestSystem without(machine, without_vpid());
    without.load(kA);
    without.vm_exit();
    without.vm_entry();
    CHECK(without.load(kA + k4K) == "miss, 8 reads");
}

TEST_CASE("VMX: with VPIDs entry and exit drop nothing, and tags keep guest and host apart (T39)") {
    GuestAndHost both;
    CHECK(both.guest_hits(kA));
    CHECK(both.host_hits(kA));
    both.system.invlpg(kA);
    CHECK(both.host_hits(kA));
    CHECK_FALSE(both.guest_hits(kA));
    both.system.vm_exit();
    both.system.apply(TogglePge{});
    both.system.vm_entry();
    CHECK(both.guest_hits(kA));
    CHECK(both.guest_hits(kGlobal));
}

TEST_CASE("VMX: a guest's own flushes keep guest-physical mappings (T53)") {
    GuestAndHost both;
    both.system.apply(TogglePge{});
    CHECK(both.system.last().dropped.nested_translations == 0);
    CHECK(both.system.last().dropped.nested_paging_structures == 0);
    CHECK(both.system.load(kGlobal) == "miss, 4 reads");  // the guest's entries alone
    CHECK(both.host_hits(kGlobal));
}

TEST_CASE("VMX: INVLPG costs the combined path, and no host read of tables (T64)") {
    TestSystem system(exact_machine(), nested_system());
    system.load(kA);
    system.invlpg(k512G);
    system.evict(kA);
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.last().reads_of(Dimension::kGuest) == 4);
}

TEST_CASE("INVVPID 0: one page of a VPID, in every PCID, globals too (T42)") {
    GuestAndHost both;
    both.in_root(Invvpid{InvvpidType::kAddress, Vpid(1), VirtAddr(kGlobal)});
    CHECK_FALSE(both.guest_hits(kGlobal));
    CHECK(both.guest_hits(kA));
    CHECK(both.host_hits(kGlobal));

    TestSystem system(exact_machine(), nested_system());
    use_two_pcids(system);
    for (const char* space : {"p1", "p2"}) {
        system.keep_and_load(space);
        system.load(kA);
    }
    system.vm_exit();
    system.apply(Invvpid{InvvpidType::kAddress, Vpid(1), VirtAddr(kA)});
    system.vm_entry();
    for (const char* space : {"p1", "p2"}) {
        system.keep_and_load(space);
        CHECK(system.load(kA) == "miss, 4 reads");
    }
}

TEST_CASE("INVVPID 1 drops a whole VPID, 3 keeps its globals (T40, T41)") {
    GuestAndHost all;
    all.in_root(Invvpid{InvvpidType::kSingleContext, Vpid(1), {}});
    CHECK(all.system.load(kA) == "miss, 4 reads");  // guest-physical mappings stay
    CHECK_FALSE(all.guest_hits(kGlobal));
    CHECK(all.host_hits(kA));

    GuestAndHost retaining;
    retaining.in_root(Invvpid{InvvpidType::kSingleContextRetainingGlobals, Vpid(1), {}});
    CHECK(retaining.guest_hits(kGlobal));
    CHECK_FALSE(retaining.guest_hits(kA));
}

TEST_CASE("INVVPID 2: every VPID but 0 (T43)") {
    GuestAndHost both;
    both.in_root(Invvpid{InvvpidType::kAllContexts, {}, {}});
    CHECK_FALSE(both.guest_hits(kA));
    CHECK_FALSE(both.guest_hits(kGlobal));
    CHECK(both.host_hits(kA));
    CHECK(both.host_hits(kGlobal));
}

TEST_CASE("INVVPID: VPID 0, or a non-canonical address, fails and drops nothing (T44)") {
    GuestAndHost both;
    for (const InvvpidType type : {InvvpidType::kAddress, InvvpidType::kSingleContext,
                                   InvvpidType::kSingleContextRetainingGlobals}) {
        both.in_root(Invvpid{type, Vpid(0), VirtAddr(kA)});
        CHECK(both.refused);
    }
    both.in_root(Invvpid{InvvpidType::kAddress, Vpid(1), VirtAddr(std::uint64_t{1} << 47)});
    CHECK(both.refused);
    CHECK(both.guest_hits(kA));
    CHECK(both.host_hits(kA));
}

TEST_CASE("INVEPT: combined and guest-physical mappings go, linear ones stay (T46)") {
    for (const InveptType type : {InveptType::kSingleContext, InveptType::kAllContexts}) {
        GuestAndHost both;
        both.in_root(Invept{type, {}});
        CHECK_FALSE(both.guest_hits(kA));
        CHECK(both.host_hits(kA));
        CHECK(both.host_hits(kGlobal));
    }
    GuestAndHost other;
    other.system.apply(DeclareEptp{"e1", {}});
    other.in_root(Invept{InveptType::kSingleContext, "e1"});
    CHECK(other.guest_hits(kA));
}

TEST_CASE("INVVPID and INVEPT in a guest are exits, and no flush (V13)") {
    GuestAndHost both;
    both.system.apply(Invept{InveptType::kAllContexts, {}});
    CHECK(both.system.last().exits == 1);
    both.system.apply(Invvpid{InvvpidType::kAllContexts, {}, {}});
    CHECK(both.system.last().exits == 1);
    CHECK(both.guest_hits(kA));
}

TEST_CASE("EPTP switch: entries are tagged by the root of the host table (T47)") {
    TestSystem system(exact_machine(), nested_system());
    system.apply(DeclareEptp{"e1", {}});
    system.load(kA);
    system.apply(Vmfunc{"e1"});
    CHECK(system.last().dropped == Dropped{});
    CHECK(system.load(kA).substr(0, 4) == "miss");
    system.apply(Vmfunc{"e0"});
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("EPTP switch: the A and D enable bit is no tag (T48)") {
    TestSystem system(exact_machine(), nested_system());
    system.load(kA);
    system.apply(DeclareEptp{"e0", true});
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("EPT violation: a page that is installed needs no INVEPT (T50)") {
    TestSystem system(exact_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.apply(HostUnmap{GuestPhysAddr(0x7000'0000)});
    CHECK(system.load(kA) == "ept-violation");
    CHECK(system.last().fault.gpa == GuestPhysAddr(0x7000'0000));
    CHECK(system.last().exits == 1);
    system.apply(HostMap{GuestPhysAddr(0x7000'0000), PageSize::k4K, {}});
    CHECK(system.load(kA).substr(0, 4) == "miss");
}

TEST_CASE(
    "EPT violation: it drops what it was recognised from, so that rights added need no INVEPT "
    "(T51)") {
    TestSystem system(exact_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.apply(HostProtect{GuestPhysAddr(0x7000'0000), true, false, true});
    system.load(kA);
    CHECK(system.store(kA) == "ept-violation");
    system.load(kA);
    system.apply(HostProtect{GuestPhysAddr(0x7000'0000), true, true, true});
    const std::string first = system.store(kA);  // one more violation is allowed, and no second one
    CHECK((first == "ept-violation" || first.substr(0, 4) == "miss"));
    CHECK(system.store(kA) != "ept-violation");
}

TEST_CASE("EPT violation: under one host table it leaves what another one gave (V10)") {
    TestSystem system(exact_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.load(kA);
    system.apply(DeclareEptp{"e1", {}});
    system.apply(Vmfunc{"e1"});
    system.apply(HostUnmap{GuestPhysAddr(0x7000'0000)});
    CHECK(system.load(kA) == "ept-violation");
    system.apply(Vmfunc{"e0"});
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("EPT violation: other pages keep their translations") {
    TestSystem system(exact_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.load(kB);
    system.apply(HostUnmap{GuestPhysAddr(0x7000'0000)});
    CHECK(system.load(kA) == "ept-violation");
    CHECK(system.load(kB) == "hit");
}

TEST_CASE("VMX: the host's MOV CR3 works on combined mappings of VPID 0 too (T54)") {
    // Entry and exit leave none, so the selection itself is asked.
    Regime root;
    Mapping left{.key = {.page = 1, .ep4ta = Ep4ta(7), .kind = MappingKind::kCombined}};
    bool dropped = false;
    for (const Selection& selection : mov_cr3_drops(root, Pcid(0)).selections) {
        dropped = dropped || selection.matches(left);
    }
    CHECK(dropped);
    left.key.context = 1;  // a guest's VPID
    for (const Selection& selection : mov_cr3_drops(root, Pcid(0)).selections) {
        CHECK_FALSE(selection.matches(left));
    }
}

TEST_CASE("VMX: SVM's instructions are undefined on Intel, VMX's on AMD") {
    TestSystem intel(exact_machine(), nested_system());
    intel.vm_exit();
    for (const Operation& operation :
         {Operation{Invlpga{VirtAddr(kA), Asid(1)}}, Operation{Invlpgb{}}, Operation{Tlbsync{}}}) {
        CHECK(intel.apply(operation).fault.kind == FaultKind::kInvalidOpcode);
    }
    TestSystem amd(exact_amd_machine(), nested_system());
    amd.vm_exit();
    for (const Operation& operation : {Operation{Invvpid{InvvpidType::kAllContexts, {}, {}}},
                                       Operation{Invept{InveptType::kAllContexts, {}}}}) {
        CHECK(amd.apply(operation).fault.kind == FaultKind::kInvalidOpcode);
    }
}
