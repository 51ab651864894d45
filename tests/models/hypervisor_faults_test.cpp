// How a hypervisor answers the faults of a guest's accesses.
#include "tests/models/recorder.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kOther = 0x8000;

TEST_SUITE("hypervisors answer faults") {
    Recorder kvm_tdp(Vendor vendor, const SystemParameters& base = nested_system()) {
        SystemParameters parameters = base;
        parameters.hypervisor.kind =
            vendor == Vendor::kAmd ? Hypervisor::kKvmNpt : Hypervisor::kKvmEpt;
        return Recorder(machine_of(vendor), parameters);
    }

    TEST_CASE("a host page that is gone: exit, a page, entry, and the access again") {
        for (const Vendor vendor : {Vendor::kIntel, Vendor::kAmd}) {
            const std::string fault = vendor == Vendor::kAmd ? "npf" : "ept-violation";
            Recorder run = kvm_tdp(vendor);
            run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
            run.apply(HostUnmap{GuestPhysAddr(0x5000)});
            const std::string done = run.load(kPage);
            CHECK(done.substr(0, done.find(", miss")) ==
                  fault + " answered, vmexit " + fault + ", vmentry");
            CHECK(run.exits() == 1);
            CHECK(run.load(kPage) == "hit");
        }
    }

    TEST_CASE("a page that is watched for writes gets its rights back at the first store") {
        for (const Vendor vendor : {Vendor::kIntel, Vendor::kAmd}) {
            Recorder run = kvm_tdp(vendor);
            run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
            run.apply(HostProtect{GuestPhysAddr(0x5000), true, false, true});
            CHECK(run.load(kPage).substr(0, 4) == "miss");
            CHECK(run.exits() == 0);
            run.store(kPage);
            CHECK(run.exits() == 1);
            run.store(kPage);
            CHECK(run.exits() == 0);
        }
    }

    TEST_CASE("an access to two pages is made again from its first") {
        Recorder run = kvm_tdp(Vendor::kIntel);
        run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
        run.apply(Map{.va = VirtAddr(kPage + k4K), .to = 0x9000, .user = true});
        run.apply(HostUnmap{GuestPhysAddr(0x9000)});
        const std::string done = run.load(kPage + k4K - 4);
        CHECK(done.find("miss") == 0);
        CHECK(done.find("ept-violation answered, vmexit ept-violation, vmentry, hit, miss") !=
              std::string::npos);
    }

    TEST_CASE("both pages of an access can be missing") {
        Recorder run = kvm_tdp(Vendor::kIntel);
        run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
        run.apply(Map{.va = VirtAddr(kPage + k4K), .to = 0x9000, .user = true});
        run.apply(HostUnmap{GuestPhysAddr(0x5000)});
        run.apply(HostUnmap{GuestPhysAddr(0x9000)});
        run.load(kPage + k4K - 4);
        CHECK(run.exits() == 2);
    }

    TEST_CASE("without VPIDs the exit flushes and the guest-physical mappings stay") {
        SystemParameters parameters = nested_system();
        parameters.vpid = false;
        Recorder run = kvm_tdp(Vendor::kIntel, parameters);
        run.load(kOther);
        run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
        run.apply(HostUnmap{GuestPhysAddr(0x5000)});
        run.load(kPage);
        CHECK(run.load(kOther) == "miss, 1 read");
    }

    TEST_CASE("what the leaf does not cure ends the run") {
        Recorder run = kvm_tdp(Vendor::kIntel);
        run.load(kPage);
        run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .user = true});
        run.apply(Invlpg{VirtAddr(kPage)});
        run.apply(HostSetEntry{GuestPhysAddr(0x5000), {.level = 1, .reserved = true}});
        CHECK_THROWS_WITH_AS(
            run.load(kPage),
            "load 0x1000: ept-misconfiguration at guest-physical 0x5000 again, after the "
            "hypervisor gave the page all rights; whatever refuses the access is not in the host "
            "table's leaf",
            OperationError);
    }

    TEST_CASE("a page fault of the guest is the guest's: no exit with EPT") {
        Recorder run = kvm_tdp(Vendor::kIntel);
        run.load(kPage);
        run.apply(Unmap{VirtAddr(kPage), std::nullopt});
        run.apply(Invlpg{VirtAddr(kPage)});
        CHECK(run.load(kPage) == "page-fault");
        CHECK(run.exits() == 0);
    }

    TEST_CASE("a page fault of the guest with shadow tables: an exit, and it is the guest's") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.apply(Unmap{VirtAddr(kPage), std::nullopt});
        run.apply(Invlpg{VirtAddr(kPage)});
        CHECK(run.load(kPage) == "page-fault, vmexit page-fault, vmentry");
        CHECK(run.exits() == 1);
    }
}

}  // namespace
}  // namespace nestwalk::test
