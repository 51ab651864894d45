// Each choice that a machine makes changes what it says and nothing else: answers to questions that
// the manuals leave open, PCIDs that an array keeps, instructions that a processor lacks.
#include "tests/models/test_system.h"

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kA = 0x10'0000;
constexpr std::uint64_t kFar = kA + 2 * k512G;  // shares no paging structure with kA but the root

MachineParameters intel(const InvalidationChoices& choices) {
    MachineParameters machine = exact_machine();
    machine.invalidation = choices;
    return machine;
}

MachineParameters amd(const InvalidationChoices& choices) {
    MachineParameters machine = exact_amd_machine();
    machine.invalidation = choices;
    return machine;
}

/// What a load reads whose TLB entry is gone: 1 entry if its paging structures are cached, else 4.
std::string walk_of(TestSystem& system, std::uint64_t va) {
    system.evict(va);
    return system.load(va);
}

FaultKind fault_of(const Outcome& outcome) { return outcome.fault.kind; }

TEST_SUITE("open choices of invalidation") {
    TEST_CASE("rising CR4.SMEP drops or keeps globals made under another PCID") {
        const auto after = [](ForeignGlobals choice, const std::string& made_in) {
            TestSystem system(intel({.smep_and_pae = choice}));
            use_two_pcids(system);
            system.keep_and_load(made_in);
            system.map_global(kA);
            system.load(kA);
            system.keep_and_load("p2");
            system.set_cr4(ControlFlag::kSmep);
            return system.load(kA);
        };
        CHECK(after(ForeignGlobals::kDrop, "p1") == "miss, 4 reads");
        CHECK(after(ForeignGlobals::kKeep, "p1") == "hit, stale");     // p2 has another page
        CHECK(after(ForeignGlobals::kKeep, "p2") == "miss, 4 reads");  // its own go all the same
    }

    TEST_CASE("a page fault drops or keeps globals of its address made under another PCID") {
        const auto after = [](ForeignGlobals choice) {
            TestSystem system(intel({.page_fault = choice}));
            use_two_pcids(system);
            for (const char* space : {"p2", "p1"}) {
                system.keep_and_load(space);
                system.apply(Map{.va = VirtAddr(kA),
                                 .size = PageSize::k4K,
                                 .global = true,
                                 .read_only = true,
                                 .user = true});
            }
            system.load(kA);
            system.keep_and_load("p2");
            CHECK(system.store(kA) == "page-fault");
            system.keep_and_load("p1");
            return system.load(kA);
        };
        CHECK(after(ForeignGlobals::kDrop) == "miss, 1 read");
        CHECK(after(ForeignGlobals::kKeep) == "hit");
    }

    TEST_CASE("INVPCID of an address drops paging-structure entries of a path, a PCID or a VPID") {
        const auto after = [](StructureReach reach, const std::string& space, std::uint64_t va) {
            TestSystem system(intel({.invpcid_address = reach}));
            use_two_pcids(system);
            for (const char* each : {"p2", "p1"}) {
                system.keep_and_load(each);
                system.load(kA);
                system.load(kFar);
            }
            system.invpcid(InvpcidType::kAddress, 1, kA);
            system.keep_and_load(space);
            return walk_of(system, va);
        };
        for (const StructureReach reach :
             {StructureReach::kPath, StructureReach::kPcid, StructureReach::kAsid}) {
            CHECK(after(reach, "p1", kA) == "miss, 4 reads");
        }
        CHECK(after(StructureReach::kPath, "p1", kFar) == "miss, 1 read");
        CHECK(after(StructureReach::kPcid, "p1", kFar) == "miss, 4 reads");
        CHECK(after(StructureReach::kPcid, "p2", kA) == "miss, 1 read");
        CHECK(after(StructureReach::kAsid, "p2", kFar) == "miss, 4 reads");
    }

    TEST_CASE("INVLPG on AMD drops upper-level entries of a path, a PCID or the ASID") {
        const auto after = [](StructureReach reach, const std::string& space, std::uint64_t va) {
            TestSystem system(amd({.amd_invlpg = reach}));
            use_two_pcids(system);
            for (const char* each : {"p2", "p1"}) {
                system.keep_and_load(each);
                system.load(kA);
                system.load(kFar);
            }
            system.invlpg(kA);
            system.keep_and_load(space);
            return walk_of(system, va);
        };
        CHECK(after(StructureReach::kPath, "p1", kA) == "miss, 4 reads");
        CHECK(after(StructureReach::kPath, "p1", kFar) == "miss, 1 read");
        CHECK(after(StructureReach::kPcid, "p1", kFar) == "miss, 4 reads");
        CHECK(after(StructureReach::kPcid, "p2", kA) == "miss, 1 read");
        CHECK(after(StructureReach::kAsid, "p2", kFar) == "miss, 4 reads");
    }

    TEST_CASE("the reach of INVLPG is a choice on AMD alone") {
        TestSystem system(intel({.amd_invlpg = StructureReach::kPath}));
        system.load(kA);
        system.load(kFar);
        system.invlpg(kA);
        CHECK(walk_of(system, kFar) == "miss, 4 reads");
    }

    TEST_CASE("rising CR4.SMEP on AMD flushes or does not") {
        for (const bool flushes : {true, false}) {
            TestSystem system(amd({.amd_smep_flushes = flushes}));
            system.load(kA);
            system.set_cr4(ControlFlag::kSmep);
            CHECK(system.load(kA) == (flushes ? "miss, 4 reads" : "hit"));
            system.set_cr4(ControlFlag::kPke);  // documented
            CHECK(system.load(kA) == "miss, 4 reads");
        }
    }

    TEST_CASE("a change of EFER.NXE flushes by vendor and choice") {
        const auto after = [](const MachineParameters& machine) {
            TestSystem system(machine);
            system.load(kA);
            system.apply(WrmsrEfer{{.clear = flags({ControlFlag::kNxe})}});
            return system.load(kA);
        };
        CHECK(after(amd({})) == "miss, 4 reads");
        CHECK(after(amd({.amd_efer_flushes = false, .intel_efer_flushes = true})) == "hit");
        CHECK(after(intel({})) == "hit");
        CHECK(after(intel({.intel_efer_flushes = true})) == "miss, 4 reads");
    }

    TEST_CASE("TLB_CONTROL=7 keeps or drops guest-physical mappings of the ASID") {
        const auto host_reads_after = [](bool drops) {
            TestSystem system(amd({.tlb_control_7_nested = drops}), nested_system());
            system.load(kA);
            system.vm_exit();
            system.apply(VmEntry{std::nullopt, TlbControl::kThisAsidNonGlobal});
            system.load(kA);
            CHECK(system.last().reads_of(Dimension::kGuest) == 4);
            return system.last().reads_of(Dimension::kHost);
        };
        CHECK(host_reads_after(false) == 0);
        CHECK(host_reads_after(true) > 0);
    }

    TEST_CASE("a nested page fault drops the guest-physical mappings of its address, or none") {
        const auto host_reads_after = [](bool drops) {
            constexpr std::uint64_t kGpa = 32 * k1G;
            TestSystem system(amd({.nested_page_fault_drops = drops}), nested_system());
            system.map_to(kA, kGpa);
            system.load(kA);
            system.apply(HostUnmap{GuestPhysAddr(kGpa)});
            system.apply(VmExit{});
            system.apply(VmEntry{std::nullopt, TlbControl::kThisAsid});
            CHECK(system.load(kA) == "npf");
            system.apply(HostMap{.gpa = GuestPhysAddr(kGpa), .size = PageSize::k4K});
            system.load(kA);
            return system.last().reads_of(Dimension::kHost);
        };
        // The upper levels that lead to the address were cached by the walk that faulted.
        CHECK(host_reads_after(true) == 4);
        CHECK(host_reads_after(false) == 1);
    }
}

TEST_SUITE("remote INVLPGB") {
    SystemParameters two_cpus() { return {.vcpus = 2}; }

    void on_cpu(TestSystem & system, std::uint32_t cpu) { system.apply(SelectCpu{cpu}); }

    void fill_on_both(TestSystem & system) {
        for (const std::uint32_t cpu : {1u, 0u}) {
            on_cpu(system, cpu);
            system.load(kA);
        }
    }

    TEST_CASE("at issue, every vCPU has dropped the page when the instruction ends") {
        TestSystem system(amd({}), two_cpus());
        fill_on_both(system);
        system.apply(Invlpgb{.va = VirtAddr(kA)});
        CHECK(system.load(kA) == "miss, 4 reads");
        on_cpu(system, 1);
        CHECK(system.load(kA) == "miss, 4 reads");
    }

    TEST_CASE("at TLBSYNC, the others keep it until the issuing vCPU synchronizes") {
        TestSystem system(amd({.remote_invlpgb = RemoteInvlpgb::kAtTlbsync}), two_cpus());
        fill_on_both(system);
        system.apply(Invlpgb{.va = VirtAddr(kA)});
        CHECK(system.load(kA) == "miss, 4 reads");
        on_cpu(system, 1);
        CHECK(system.load(kA) == "hit");
        system.apply(Tlbsync{});  // waits for its own broadcasts, not for those of vCPU 0
        CHECK(system.load(kA) == "hit");
        on_cpu(system, 0);
        system.apply(Tlbsync{});
        on_cpu(system, 1);
        CHECK(system.load(kA) == "miss, 4 reads");
    }

    TEST_CASE("a broadcast is completed once") {
        TestSystem system(amd({.remote_invlpgb = RemoteInvlpgb::kAtTlbsync}), two_cpus());
        fill_on_both(system);
        system.apply(Invlpgb{.va = VirtAddr(kA)});
        system.apply(Tlbsync{});
        fill_on_both(system);
        system.apply(Tlbsync{});
        on_cpu(system, 1);
        CHECK(system.load(kA) == "hit");
    }

    TEST_CASE("one vCPU has nobody to wait for, so its state comes back") {
        TestSystem system(amd({.remote_invlpgb = RemoteInvlpgb::kAtTlbsync}));
        system.load(kA);
        const SystemState before = system.state();
        system.apply(Invlpgb{.va = VirtAddr(kA)});
        system.load(kA);
        CHECK(system.state() == before);
    }
}

TEST_SUITE("instructions that a processor lacks") {
    TEST_CASE("are undefined and drop nothing") {
        MachineParameters machine = exact_amd_machine();
        machine.features = {.invpcid = false, .invlpgb = false};
        TestSystem system(machine);
        system.load(kA);
        const std::vector<Operation> lacking{Invpcid{.type = InvpcidType::kAllIncludingGlobals},
                                             Invlpgb{.globals = true}, Tlbsync{}};
        for (const Operation& operation : lacking) {
            CAPTURE(name_of(operation));
            CHECK(fault_of(system.apply(operation)) == FaultKind::kInvalidOpcode);
            CHECK(system.last().performed.all == 0);
            CHECK(system.load(kA) == "hit");
        }
    }

    TEST_CASE("do so one by one") {
        MachineParameters machine = exact_amd_machine();
        machine.features = {.invpcid = false, .invlpgb = true};
        TestSystem without_invpcid(machine);
        CHECK(fault_of(without_invpcid.apply(Tlbsync{})) == FaultKind::kNone);
        machine.features = {.invpcid = true, .invlpgb = false};
        TestSystem without_invlpgb(machine);
        CHECK(fault_of(without_invlpgb.apply(Invpcid{.type = InvpcidType::kAllIncludingGlobals})) ==
              FaultKind::kNone);
    }

    TEST_CASE("Intel has no INVLPGB whatever its machine says") {
        TestSystem system(exact_machine());
        CHECK(fault_of(system.apply(Invlpgb{})) == FaultKind::kInvalidOpcode);
        CHECK(fault_of(system.apply(Tlbsync{})) == FaultKind::kInvalidOpcode);
    }
}

TEST_SUITE("PCIDs that an array keeps") {
    /// The exact machine; its dTLB keeps no PCID but the current one, its STLB one besides.
    MachineParameters forgetful() {
        MachineParameters machine = exact_machine();
        machine.l1_dtlb[0].pcids_kept = 0;
        machine.stlb[0].pcids_kept = 1;
        return machine;
    }

    void use_three_pcids(TestSystem & system) {
        use_two_pcids(system);
        system.apply(DeclareSpace{"p3", Pcid(3)});
    }

    TEST_CASE("entries of the one used longest ago go when another is loaded") {
        TestSystem system(forgetful());
        use_three_pcids(system);
        system.load(kA);
        system.keep_and_load("p2");
        system.keep_and_load("p1");
        CHECK(system.load(kA) == "STLB hit");
        system.keep_and_load("p2");
        system.keep_and_load("p3");
        system.keep_and_load("p1");
        CHECK(system.load(kA) == "miss, 1 read");  // paging-structure caches keep all
    }

    TEST_CASE("loading the current PCID again loses nothing") {
        TestSystem system(forgetful());
        use_three_pcids(system);
        system.load(kA);
        system.keep_and_load("p1");
        CHECK(system.load(kA) == "hit");
    }

    TEST_CASE("globals outlive every switch") {
        TestSystem system(forgetful());
        use_three_pcids(system);
        for (const char* space : {"p2", "p1"}) {
            system.keep_and_load(space);
            system.map_global(kA);
        }
        system.load(kA);
        system.keep_and_load("p2");
        system.keep_and_load("p3");
        system.keep_and_load("p1");
        CHECK(system.load(kA) == "hit");
    }

    TEST_CASE("PCIDs of one VPID do not displace those of another") {
        TestSystem system(forgetful(), nested_system());
        use_three_pcids(system);
        system.load(kA);
        system.vm_exit();
        for (const char* space : {"h1", "h2", "h3"})
            system.apply(DeclareSpace{space, std::nullopt});
        system.set_cr4(ControlFlag::kPcide);
        for (const char* space : {"h1", "h2", "h3"}) system.keep_and_load(space);
        system.vm_entry();
        CHECK(system.load(kA) == "hit");
    }

    TEST_CASE("vCPUs switch apart") {
        TestSystem system(forgetful(), {.vcpus = 2});
        use_three_pcids(system);
        system.load(kA);
        system.apply(SelectCpu{1});
        system.set_cr4(ControlFlag::kPcide);
        for (const char* space : {"p1", "p2", "p3"}) system.keep_and_load(space);
        system.apply(SelectCpu{0});
        CHECK(system.load(kA) == "hit");
    }
}

}  // namespace
}  // namespace nestwalk::test
