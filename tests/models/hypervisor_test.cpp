// What a hypervisor does about an operation that exits, beyond what the table says.
#include "tests/models/recorder.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kOther = 0x8000;

TEST_SUITE("hypervisors") {
    TEST_CASE("a masked bit that is written with its value exits only where there is no mask") {
        const MovCr4 same{{.set = flags({ControlFlag::kPge})}};
        Recorder intel = kvm_shadow();
        CHECK(intel.apply(same) == "mov-cr4");
        SystemParameters npt = nested_system();
        npt.hypervisor.kind = Hypervisor::kKvmNpt;
        Recorder amd(exact_amd_machine(), npt);
        CHECK(amd.apply(same) == "vmexit mov-cr4, vmentry");
    }

    TEST_CASE("the CR4 toggle of a guest kernel: two exits and two flushes of its ASID") {
        SystemParameters npt = nested_system();
        npt.hypervisor.kind = Hypervisor::kKvmNpt;
        Recorder run(exact_amd_machine(), npt);
        run.apply(Map{.va = VirtAddr(kOther), .global = true, .user = true});
        run.load(kPage);
        run.load(kOther);
        CHECK(run.apply(TogglePge{}) == "vmexit mov-cr4, vmentry 3, vmexit mov-cr4, vmentry 3");
        CHECK(run.exits() == 2);
        CHECK(run.system().regime().flags.test(ControlFlag::kPge));
        CHECK(run.load(kOther).substr(0, 4) == "miss");
    }

    TEST_CASE("without an exit the toggle is one record") {
        SystemParameters ept = nested_system();
        ept.hypervisor.kind = Hypervisor::kKvmEpt;
        Recorder run(exact_machine(), ept);
        CHECK(run.apply(TogglePge{}) == "toggle-pge");
        CHECK(run.exits() == 0);
    }

    TEST_CASE("one write of several bits is one exit with the largest flush") {
        SystemParameters ept = nested_system();
        ept.hypervisor.kind = Hypervisor::kKvmEpt;
        Recorder run(exact_machine(), ept);
        const MovCr4 both{
            {.set = flags({ControlFlag::kSmep}), .clear = flags({ControlFlag::kPge})}};
        CHECK(run.apply(both) == "vmexit mov-cr4, invept 1, vmentry");
        CHECK_FALSE(run.system().regime().flags.test(ControlFlag::kPge));
        CHECK(run.system().regime().flags.test(ControlFlag::kSmep));
    }

    TEST_CASE("the INVLPG of a guest under KVM: the address or the context or nothing") {
        const auto after = [](ShadowInvlpg invlpg, std::uint64_t va) {
            Recorder run = kvm_shadow(invlpg);
            run.load(kPage);
            run.load(kOther);
            run.apply(Invlpg{VirtAddr(kPage)});
            return run.load(va).substr(0, 4);
        };
        CHECK(after(ShadowInvlpg::kIndividual, kPage) == "miss");
        CHECK(after(ShadowInvlpg::kIndividual, kOther) == "hit");
        CHECK(after(ShadowInvlpg::kSingleContext, kPage) == "miss");
        CHECK(after(ShadowInvlpg::kSingleContext, kOther) == "miss");
        CHECK(after(ShadowInvlpg::kNone, kPage) == "hit");
    }

    TEST_CASE("a guest page that the shadow tables have in pieces is flushed as a whole") {
        Recorder run =
            kvm_shadow(ShadowInvlpg::kIndividual, {.guest = {.page_size = PageSize::k2M}});
        run.load(k2M);
        run.load(k2M + 0x6000);
        CHECK(run.apply(Invlpg{VirtAddr(k2M)}) == "vmexit invlpg, invvpid 1, vmentry");
        CHECK(run.load(k2M + 0x6000).substr(0, 4) == "miss");
        // Alike in both dimensions: the address alone.
        Recorder whole = kvm_shadow(
            ShadowInvlpg::kIndividual,
            {.guest = {.page_size = PageSize::k2M}, .host = {.page_size = PageSize::k2M}});
        whole.load(k2M);
        CHECK(whole.apply(Invlpg{VirtAddr(k2M)}) == "vmexit invlpg, invvpid 0, vmentry");
    }

    TEST_CASE("INVLPG of a non-canonical address exits and has no effect") {
        Recorder run = kvm_shadow(ShadowInvlpg::kSingleContext);
        CHECK(run.apply(Invlpg{VirtAddr(std::uint64_t{1} << 63)}) == "vmexit invlpg, vmentry");
    }

    TEST_CASE("without VPIDs exit and entry flush and the hypervisor has nothing to add") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.vpid = false});
        run.load(kPage);
        run.load(kOther);
        CHECK(run.apply(Invlpg{VirtAddr(kPage)}) == "vmexit invlpg, vmentry");
        CHECK(run.load(kOther).substr(0, 4) == "miss");
    }

    TEST_CASE("bit 63 spares the flush only where KVM still has the root") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        const std::string flushed = "vmexit mov-cr3, invvpid 1, vmentry";
        const std::string spared = "vmexit mov-cr3, vmentry";
        for (std::uint16_t pcid = 1; pcid <= 4; ++pcid) {
            run.apply(DeclareSpace{"p" + std::to_string(pcid), Pcid(pcid)});
        }
        const auto switch_to = [&](const std::string& name) {
            return run.apply(MovCr3{name, true});
        };
        CHECK(switch_to("s0") == spared);   // loaded already
        CHECK(switch_to("p1") == flushed);  // never seen
        CHECK(switch_to("p2") == flushed);
        CHECK(switch_to("p3") == flushed);
        CHECK(switch_to("s0") == spared);   // three others are kept: p3 p2 p1
        CHECK(switch_to("p4") == flushed);  // and p1 is forgotten: s0 p3 p2
        CHECK(switch_to("p2") == spared);
        CHECK(switch_to("p1") == flushed);
    }

    TEST_CASE("a flushing MOV CR3 takes the kept roots of its PCID with it") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        run.apply(DeclareSpace{"a", Pcid(1)});
        run.apply(DeclareSpace{"b", Pcid(1)});
        run.apply(MovCr3{"a", true});
        run.apply(MovCr3{"b", false});  // PCID 1 is flushed, and with it the root of a
        CHECK(run.apply(MovCr3{"a", true}) == "vmexit mov-cr3, invvpid 1, vmentry");
    }

    TEST_CASE("another role of KVM's MMU makes it forget the kept roots but not CR4.PGE") {
        for (const bool pge : {true, false}) {
            Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
            run.apply(DeclareSpace{"p1", Pcid(1)});
            run.apply(MovCr3{"p1", true});
            run.apply(toggled(run.system(), pge ? ControlFlag::kPge : ControlFlag::kSmep));
            CHECK(run.apply(MovCr3{"s0", true}) ==
                  (pge ? "vmexit mov-cr3, vmentry" : "vmexit mov-cr3, invvpid 1, vmentry"));
        }
    }

    TEST_CASE("INVPCID of a PCID that KVM has no root of flushes nothing") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        run.apply(DeclareSpace{"p1", Pcid(1)});
        const auto address = [&](std::uint16_t pcid) {
            return run.apply(Invpcid{InvpcidType::kAddress, Pcid(pcid), VirtAddr(kPage)});
        };
        const auto single = [&](std::uint16_t pcid) {
            return run.apply(Invpcid{InvpcidType::kSingleContext, Pcid(pcid), {}});
        };
        CHECK(address(0) == "vmexit invpcid, invvpid 0, vmentry");
        CHECK(address(1) == "vmexit invpcid, vmentry");
        run.apply(MovCr3{"p1", true});
        CHECK(address(0) == "vmexit invpcid, invvpid 0, vmentry");
        // The root is forgotten instead, and flushed when it comes back.
        CHECK(single(0) == "vmexit invpcid, vmentry");
        CHECK(run.apply(MovCr3{"s0", true}) == "vmexit mov-cr3, invvpid 1, vmentry");
        CHECK(single(0) == "vmexit invpcid, invvpid 1, vmentry");
        CHECK(run.apply(Invpcid{InvpcidType::kAllContexts, {}, {}}) ==
              "vmexit invpcid, invvpid 1, vmentry");
    }

    TEST_CASE("what a guest may not do exits first and faults in the guest then") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        CHECK(run.apply(MovCr3{std::nullopt, true}) == "vmexit mov-cr3, vmentry, mov-cr3 gp");
        CHECK(run.apply(Invpcid{InvpcidType::kAddress, Pcid(3), VirtAddr(kPage)}) ==
              "vmexit invpcid, vmentry, invpcid gp");
        CHECK(run.load(kPage) == "hit");
        MachineParameters old = exact_machine();
        old.features.invpcid = false;
        Recorder without(
            old, {.paging = Paging::kShadow, .hypervisor = {.kind = Hypervisor::kKvmShadow}});
        CHECK(without.apply(Invpcid{InvpcidType::kAllContexts, {}, {}}) == "invpcid ud");
    }

    TEST_CASE("the hypervisor's own operations do not exit") {
        Recorder run = kvm_shadow();
        run.apply(VmExit{"hlt"});
        CHECK(run.apply(MovCr3{}) == "mov-cr3");
        CHECK(run.apply(TogglePge{}) == "toggle-pge");
    }

    TEST_CASE("KVM without FlushByAsid takes another ASID") {
        MachineParameters old = exact_amd_machine();
        old.features.flush_by_asid = false;
        SystemParameters npt = nested_system();
        npt.hypervisor.kind = Hypervisor::kKvmNpt;
        Recorder run(old, npt);
        CHECK(run.context() == 1);
        CHECK(run.apply(TogglePge{}) == "vmexit mov-cr4, vmentry, vmexit mov-cr4, vmentry");
        CHECK(run.context() == 3);
        // A trace's own TLB_CONTROL=3 is a reserved value there.
        run.apply(VmExit{"hlt"});
        CHECK(run.apply(VmEntry{.tlb_control = TlbControl::kThisAsid}) == "vmentry 3 invalid-vmcb");
    }

    TEST_CASE("when tags run out all is flushed and every virtual machine has a new one") {
        for (const Vendor vendor : {Vendor::kIntel, Vendor::kAmd}) {
            const bool amd = vendor == Vendor::kAmd;
            SystemParameters xen{.paging = Paging::kShadow};
            xen.hypervisor = {.kind = Hypervisor::kXenShadow, .tags = 4};
            Recorder run(machine_of(vendor), xen);
            run.apply(DeclareVm{"vm1", Vpid(2), std::nullopt, Asid(2)});
            run.apply(MovCr3{});
            CHECK(run.context() == 3);
            run.apply(MovCr3{});
            CHECK(run.context() == 4);
            run.load(kPage);
            CHECK(run.apply(MovCr3{}) ==
                  (amd ? "vmexit mov-cr3, vmentry 1" : "vmexit mov-cr3, invvpid 2, vmentry"));
            CHECK(run.context() == 1);
            CHECK(run.load(kPage).substr(0, 4) == "miss");
            run.apply(VmExit{""});
            run.apply(VmEntry{"vm1", {}});
            CHECK(run.context() == 2);
            run.apply(MovCr3{});
            CHECK(run.context() == 3);
        }
    }

    TEST_CASE("a tag of its own ends where a trace declares another") {
        SystemParameters xen{.paging = Paging::kShadow};
        xen.hypervisor.kind = Hypervisor::kXenShadow;
        Recorder run(exact_machine(), xen);
        run.apply(MovCr3{});
        CHECK(run.context() == 2);
        run.apply(DeclareVm{"vm0", Vpid(7), std::nullopt, std::nullopt});
        CHECK(run.context() == 7);
        run.apply(MovCr3{});
        CHECK(run.context() == 3);
    }

    TEST_CASE("an entry that cannot be made ends the run") {
        Recorder run = kvm_shadow();
        run.apply(DeclareVm{"vm0", Vpid(0), std::nullopt, std::nullopt});
        CHECK_THROWS_WITH_AS(run.apply(MovCr3{}),
                             "the hypervisor cannot enter the guest again: its VPID is 0",
                             OperationError);
    }
}

}  // namespace
}  // namespace nestwalk::test
