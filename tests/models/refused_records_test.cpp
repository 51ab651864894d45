// Records that make no sense where they stand end with a message that says so, and instructions
// that the processor refuses fault and drop nothing.
#include "models/operation_error.h"
#include "tests/models/test_system.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kVa = 0x40'0000;

std::string refusal(TestSystem& system, const Operation& operation) {
    try {
        system.apply(operation);
    } catch (const OperationError& error) {
        return error.what();
    }
    return "accepted";
}

FaultKind fault_of(TestSystem& system, const Operation& operation) {
    return system.apply(operation).fault.kind;
}

TEST_SUITE("refused records") {
    TEST_CASE("native paging has no virtual machines and no host tables") {
        TestSystem system(exact_machine());
        CHECK(refusal(system, DeclareVm{.name = "v"}) ==
              "vm: system.paging is native, so there are no virtual machines");
        CHECK(refusal(system, DeclareEptp{.name = "e"}) ==
              "eptp: system.paging is native, so there are no host tables");
        const std::string none = "there is no virtual machine: system.paging is native";
        CHECK(refusal(system, VmEntry{}) == none);
        CHECK(refusal(system, HostMap{}) == none);
        CHECK(refusal(system, VmcbCr3{"s0"}) == none);
        CHECK(refusal(system, VmExit{}) == "vmexit: no guest is running");
    }

    TEST_CASE("a guest is entered once, by a name that exists, and with a control its vendor has") {
        TestSystem system(exact_machine(), nested_system());
        CHECK(refusal(system, VmEntry{}) == "vmentry: a guest is running already");
        CHECK(refusal(system, VmcbCr3{"s0"}) == "vmcb-cr3: the hypervisor edits it, not the guest");
        system.vm_exit();
        CHECK(refusal(system, VmEntry{.vm = "vm9"}) ==
              "no virtual machine 'vm9'; declare it with 'vm vm9'");
        CHECK(refusal(system, VmEntry{.tlb_control = TlbControl::kAll}) ==
              "vmentry: tlb-control belongs to AMD machines");
        CHECK(refusal(system, VmEntry{.vm = "vm0"}) == "accepted");
    }

    TEST_CASE("spaces, host tables and vCPUs that nobody declared are named") {
        TestSystem system(exact_machine(), nested_system());
        CHECK(refusal(system, MovCr3{.space = "s7"}) ==
              "no space 's7' in vm0; declare it with 'space s7' where it is used");
        CHECK(refusal(system, Vmfunc{"e7"}) == "no host table 'e7'; declare it with 'eptp e7'");
        CHECK(refusal(system, DeclareVm{.name = "v", .eptp = "e7"}) ==
              "no host table 'e7'; declare it with 'eptp e7'");
        CHECK(refusal(system, SelectCpu{1}) == "cpu 1: system.vcpus is 1");
    }

    TEST_CASE("records without effect on translations change no state") {
        TestSystem system(exact_machine());
        system.load(kVa);
        const std::uint64_t before = system.digest();
        system.apply(Compute{5});
        system.apply(Fence{FenceKind::kMfence});
        system.apply(ReadTimeStamp{});
        system.apply(SystemManagementInterrupt{});
        system.apply(ResumeFromSmm{});
        CHECK(system.digest() == before);
        CHECK(system.load(kVa) == "hit");
    }

    TEST_CASE("addresses that no table can map are refused before anything is written") {
        TestSystem system(exact_machine(), nested_system());
        CHECK(refusal(system, Map{.va = VirtAddr(1ull << 47)}) ==
              "0x800000000000 is not canonical");
        CHECK(refusal(system, Unmap{VirtAddr(1ull << 47), std::nullopt}) ==
              "0x800000000000 is not canonical");
        CHECK(refusal(system, HostMap{.gpa = GuestPhysAddr(1ull << 48)}) ==
              "0x1000000000000 is no guest-physical address: it has more than 48 bits");
        CHECK(refusal(system, HostUnmap{GuestPhysAddr(1ull << 48)}) ==
              "0x1000000000000 is no guest-physical address: it has more than 48 bits");
        CHECK(refusal(system, Map{.va = VirtAddr(kVa), .to = 1ull << 52}) ==
              "0x10000000000000 does not fit into an entry, which has bits 51:12 for it");
    }

    TEST_CASE("Intel's instructions are undefined on AMD and AMD's on Intel, and drop nothing") {
        TestSystem amd(exact_amd_machine(), nested_system());
        amd.load(kVa);
        CHECK(fault_of(amd, Vmfunc{"e0"}) == FaultKind::kInvalidOpcode);
        CHECK(amd.load(kVa) == "hit");
        amd.vm_exit();
        CHECK(fault_of(amd, Invvpid{InvvpidType::kAllContexts, std::nullopt, VirtAddr(0)}) ==
              FaultKind::kInvalidOpcode);
        CHECK(fault_of(amd, Invept{InveptType::kAllContexts, std::nullopt}) ==
              FaultKind::kInvalidOpcode);
        amd.vm_entry();
        CHECK(amd.load(kVa) == "hit");

        TestSystem intel(exact_machine(), nested_system());
        intel.load(kVa);
        intel.vm_exit();
        CHECK(fault_of(intel, Invlpga{VirtAddr(kVa), Asid(1)}) == FaultKind::kInvalidOpcode);
        CHECK(fault_of(intel, Invlpgb{}) == FaultKind::kInvalidOpcode);
        CHECK(fault_of(intel, Tlbsync{}) == FaultKind::kInvalidOpcode);
        ControlFlags tce;
        tce.set(ControlFlag::kTce);
        CHECK(fault_of(intel, WrmsrEfer{{.set = tce}}) == FaultKind::kGeneralProtection);
        intel.vm_entry();
        CHECK(intel.load(kVa) == "hit");
    }

    TEST_CASE("a virtual machine without a tag of its own is not entered") {
        TestSystem intel(exact_machine(), nested_system());
        intel.vm_exit();
        intel.apply(DeclareVm{.name = "v", .vpid = Vpid(0)});
        CHECK(fault_of(intel, VmEntry{.vm = "v"}) == FaultKind::kVmFail);
        TestSystem amd(exact_amd_machine(), nested_system());
        amd.vm_exit();
        amd.apply(DeclareVm{.name = "v", .asid = Asid(0)});
        CHECK(fault_of(amd, VmEntry{.vm = "v"}) == FaultKind::kInvalidVmcb);
    }
}

}  // namespace
}  // namespace nestwalk::test
