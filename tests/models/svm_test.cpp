// ASIDs and nested paging on AMD: VMRUN with TLB_CONTROL, INVLPGA, INVLPGB, and what a guest's own
// operations reach. APM "TLB Control", "Address Space Identifier", "Invalidate Page, Alternate
// ASID".

#include "tests/models/test_system.h"

#include <cstdint>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = k1G, kGlobal = 3 * k512G;

/// A, B and a global page cached by vm0 (ASID 1), vm1 (ASID 2) and the host (ASID 0). The host
/// runs.
struct Hosts {
    Hosts() {
        system.vm_exit();
        system.apply(DeclareVm{.name = "vm1", .asid = Asid(2)});
        fill();
        for (const char* vm : {"vm0", "vm1"}) {
            system.apply(VmEntry{.vm = vm});
            fill();
            system.vm_exit();
        }
    }
    void fill() {
        system.map_global(kGlobal);
        for (const std::uint64_t va : {kA, kB, kGlobal}) system.load(va);
    }
    /// What a load finds in a guest.
    std::string load_in(const char* vm, std::uint64_t va,
                        TlbControl control = TlbControl::kNothing) {
        system.apply(VmEntry{vm, control});
        const std::string found = system.load(va);
        system.vm_exit();
        return found;
    }
    bool host_hits(std::uint64_t va) { return system.load(va) == "hit"; }

    TestSystem system{exact_amd_machine(), nested_system()};
};

}  // namespace

TEST_CASE("SVM: VMRUN and #VMEXIT switch ASIDs and drop nothing (T75)") {
    Hosts all;
    for (const std::uint64_t va : {kA, kB, kGlobal}) {
        CHECK(all.load_in("vm0", va) == "hit");
        CHECK(all.load_in("vm1", va) == "hit");
        CHECK(all.host_hits(va));
    }
}

TEST_CASE("TLB_CONTROL: 7 drops the guest's own but globals (T76)") {
    Hosts all;
    CHECK(all.load_in("vm0", kA, TlbControl::kThisAsidNonGlobal) == "miss, 4 reads");
    CHECK(all.load_in("vm0", kGlobal) == "hit");
    CHECK(all.load_in("vm1", kA) == "hit");
}

TEST_CASE("TLB_CONTROL: 3 drops all of the guest's ASID, nested entries included (T76)") {
    Hosts all;
    all.system.apply(VmEntry{"vm0", TlbControl::kThisAsid});
    CHECK(all.system.last().dropped.nested_translations > 0);
    CHECK(all.system.load(kGlobal).substr(0, 4) == "miss");
    CHECK(all.system.last().reads_of(Dimension::kHost) > 0);
    all.system.vm_exit();
    CHECK(all.load_in("vm1", kGlobal) == "hit");
    CHECK(all.host_hits(kGlobal));
}

TEST_CASE("TLB_CONTROL: 1 drops everything of every ASID (T76)") {
    Hosts all;
    all.load_in("vm0", kA, TlbControl::kAll);
    CHECK_FALSE(all.host_hits(kGlobal));
    CHECK(all.load_in("vm1", kA).substr(0, 4) == "miss");
}

TEST_CASE("SVM: VMRUN with ASID 0 fails (A3)") {
    Hosts all;
    all.system.apply(DeclareVm{.name = "vm2", .asid = Asid(0)});
    CHECK(all.system.apply(VmEntry{.vm = "vm2"}).fault.kind == FaultKind::kInvalidVmcb);
    CHECK(all.host_hits(kA));
}

TEST_CASE("SVM: another CR3 in the VMCB under the same ASID finds old entries (T77)") {
    Hosts all;
    all.system.apply(VmEntry{.vm = "vm0"});
    all.system.apply(DeclareSpace{"other", {}});
    all.system.vm_exit();
    all.system.apply(VmcbCr3{"other"});
    CHECK(all.load_in("vm0", kA).substr(0, 10) == "hit, stale");
}

TEST_CASE("SVM: a host page that moved is stale until its ASID is flushed (T78)") {
    for (const TlbControl control :
         {TlbControl::kNothing, TlbControl::kThisAsid, TlbControl::kAll}) {
        TestSystem system(exact_amd_machine(), nested_system());
        system.map_to(kA, 0x7000'0000);
        system.load(kA);
        system.vm_exit();
        system.apply(HostMap{GuestPhysAddr(0x7000'0000), PageSize::k4K, PhysAddr(0x9000)});
        system.apply(VmEntry{"vm0", control});
        system.load(kA);
        const bool repaired = system.last().physical == 0x9000;
        CHECK(repaired == (control != TlbControl::kNothing));
        CHECK(system.last().stale == !repaired);
    }
}

TEST_CASE("SVM: a guest's CR4.PGE toggle reaches its own ASID, nested entries stay (T79)") {
    Hosts all;
    all.system.apply(VmEntry{.vm = "vm0"});
    all.system.apply(TogglePge{});
    CHECK(all.system.last().dropped.nested_translations == 0);
    CHECK(all.system.load(kGlobal) == "miss, 4 reads");
    all.system.vm_exit();
    CHECK(all.load_in("vm1", kGlobal) == "hit");
    CHECK(all.host_hits(kGlobal));
}

TEST_CASE("INVLPGA: one page of one ASID, never a guest-physical entry (T82)") {
    Hosts all;
    all.system.apply(Invlpga{VirtAddr(kA), Asid(1)});
    CHECK(all.load_in("vm0", kA).substr(0, 4) == "miss");
    CHECK(all.load_in("vm0", kB) == "hit");
    CHECK(all.load_in("vm1", kA) == "hit");
    CHECK(all.host_hits(kA));
    for (const std::uint64_t va : {std::uint64_t{0}, std::uint64_t{0x1000'0000}}) {
        CHECK(all.system.apply(Invlpga{VirtAddr(va), Asid(1)}).dropped.nested_translations == 0);
    }
}

TEST_CASE("INVLPG on AMD: all upper-level entries go, with EFER.TCE only the page's (A5)") {
    for (const bool tce : {false, true}) {
        TestSystem system(exact_amd_machine());
        if (tce) system.apply(WrmsrEfer{{.set = flags({ControlFlag::kTce})}});
        system.load(kA);
        system.load(kB);
        system.invlpg(kA);
        system.evict(kB);
        CHECK(system.load(kB) == (tce ? "miss, 1 read" : "miss, 4 reads"));
    }
}

TEST_CASE("INVLPGB: globals go only where it asks for them (T85)") {
    Hosts all;
    all.system.apply(Invlpgb{.va = VirtAddr(kGlobal), .asid = Asid(0)});
    CHECK(all.host_hits(kGlobal));
    all.system.apply(Invlpgb{.va = VirtAddr(kGlobal), .asid = Asid(0), .globals = true});
    CHECK_FALSE(all.host_hits(kGlobal));
    CHECK(all.load_in("vm0", kGlobal) == "hit");
}

TEST_CASE(
    "INVLPGB: without an ASID it reaches every ASID, without an address all non-globals (T86)") {
    Hosts one_page;
    one_page.system.apply(Invlpgb{.va = VirtAddr(kA)});
    CHECK(one_page.load_in("vm0", kA).substr(0, 4) == "miss");
    CHECK(one_page.load_in("vm0", kB) == "hit");
    CHECK_FALSE(one_page.host_hits(kA));

    Hosts all;
    all.system.apply(Invlpgb{});
    CHECK_FALSE(all.host_hits(kA));
    CHECK(all.host_hits(kGlobal));
    CHECK(all.load_in("vm1", kB).substr(0, 4) == "miss");
    CHECK(all.load_in("vm1", kGlobal) == "hit");
}

TEST_CASE("INVLPGB: so many pages, so far apart") {
    TestSystem system(exact_amd_machine());
    for (std::uint64_t page = 0; page < 6; ++page) system.load(page * k4K);
    system.apply(Invlpgb{.va = VirtAddr(k4K), .final_only = true, .pages = 3});
    for (std::uint64_t page = 0; page < 6; ++page) {
        const bool dropped = page >= 1 && page <= 3;
        CHECK(system.load(page * k4K) == (dropped ? "miss, 1 read" : "hit"));
    }
    system.load(k2M);
    system.load(2 * k2M);
    system.apply(Invlpgb{.va = VirtAddr(0), .pages = 2, .stride = PageSize::k2M});
    CHECK(system.load(2 * k2M) == "hit");
    CHECK(system.load(k2M) != "hit");
    CHECK(system.load(0) != "hit");
    CHECK(system.load(k4K) == "hit");
}

TEST_CASE("INVLPGB: in a guest it acts on the guest's own ASID, whatever it asks for (T88)") {
    Hosts all;
    all.system.apply(VmEntry{.vm = "vm0"});
    all.system.apply(Invlpgb{.va = VirtAddr(kA), .asid = Asid(2)});
    CHECK(all.system.load(kA).substr(0, 4) == "miss");
    all.system.vm_exit();
    CHECK(all.load_in("vm1", kA) == "hit");
}

TEST_CASE("INVLPGB: it reaches other vCPUs, at the latest when TLBSYNC has returned (T87)") {
    SystemParameters parameters;
    parameters.vcpus = 2;
    TestSystem system(exact_amd_machine(), parameters);
    system.apply(SelectCpu{1});
    system.load(kA);
    system.apply(SelectCpu{0});
    system.apply(Invlpgb{.va = VirtAddr(kA)});
    system.apply(Tlbsync{});
    system.apply(SelectCpu{1});
    CHECK(system.load(kA) == "miss, 4 reads");
}

TEST_CASE("nested page fault: its page's nested and combined entries go (S11)") {
    TestSystem system(exact_amd_machine(), nested_system());
    system.map_to(kA, 0x7000'0000);
    system.load(kB);
    system.apply(HostUnmap{GuestPhysAddr(0x7000'0000)});
    CHECK(system.load(kA) == "npf");
    CHECK(system.load(kB) == "hit");
    system.apply(HostMap{GuestPhysAddr(0x7000'0000), PageSize::k4K, {}});
    CHECK(system.load(kA).substr(0, 4) == "miss");
}
