// Linux on AMD with INVLPGB: spaces that many vCPUs run have one PCID on all of them, and flushes
// of these are broadcast (broadcast_tlb_flush(), consider_global_asid(), arch/x86/mm/tlb.c).

#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;
using Texts = OsSystem::Texts;

SystemParameters broadcasting(std::uint32_t vcpus) {
    SystemParameters parameters = linux_system(vcpus);
    parameters.os.invlpgb = true;
    return parameters;
}

/// Runs s0 on every vCPU, and all have joined its global PCID.
struct Joined {
    explicit Joined(SystemParameters parameters = broadcasting(4))
        : system(parameters, exact_amd_machine()) {
        flush_and_shoot();
        flush_and_shoot();
        load_everywhere();
    }
    void flush_and_shoot() {
        system.cpu(0);
        system.flush(kVa, 1);
        system.shoot_down(kVa, 1);
    }
    void load_everywhere() {
        for (const std::uint32_t cpu : {3u, 2u, 1u, 0u}) {
            system.cpu(cpu);
            system.load(kVa);
        }
    }

    OsSystem system;
};

}  // namespace

TEST_CASE("INVLPGB: a space that three vCPUs run is flushed by interrupts") {
    OsSystem system(broadcasting(3), exact_amd_machine());
    for (int round = 0; round < 3; ++round) {
        CHECK(system.flush(kVa, 1)[1] == "invlpg 0x400000");
        CHECK(system.shoot_down(kVa, 1)[0] == "shootdown 0x400000 pages=1 cpus=1-2");
    }
}

TEST_CASE("INVLPGB: a space that four vCPUs run gets a global PCID after a shootdown") {
    OsSystem system(broadcasting(4), exact_amd_machine());
    CHECK(system.flush(kVa, 1)[1] == "invlpg 0x400000");
    const Texts first = system.shoot_down(kVa, 1);
    CHECK(first.size() == 9);
    // The first global PCID begins a round: all but globals are dropped everywhere.
    CHECK(Texts(first.end() - 2, first.end()) == Texts{"invlpgb asid=0", "tlbsync"});

    CHECK(system.flush(kVa, 1) == Texts{"flush-range 0x400000 pages=1",
                                        "invlpgb va=0x400000 asid=0 pcid=7 final", "tlbsync",
                                        "mov-cr3 s0 noflush pcid=7 tables=kernel"});
    const Texts second = system.shoot_down(kVa, 1);
    CHECK(second[0] == "shootdown 0x400000 pages=1 cpus=1-3");
    CHECK(second[2] == "cpu 1: mov-cr3 s0 noflush pcid=7 tables=kernel");
    CHECK(second.size() == 7);

    CHECK(system.flush(kVa, 1).size() == 3);
    CHECK(system.shoot_down(kVa, 1) == Texts{"shootdown 0x400000 pages=1"});
}

TEST_CASE("INVLPGB: a broadcast reaches every vCPU without an interrupt") {
    Joined joined;
    joined.system.flush(kVa, 1);
    for (const std::uint32_t cpu : {0u, 1u, 2u, 3u}) {
        joined.system.cpu(cpu);
        CHECK_FALSE(joined.system.hits(kVa));
    }
}

TEST_CASE("INVLPGB: eight pages at a time, the final bit unless tables were freed") {
    Joined joined;
    CHECK(joined.system.flush(kVa, 17) ==
          Texts{"flush-range 0x400000 pages=17", "invlpgb va=0x400000 asid=0 pcid=7 final pages=8",
                "invlpgb va=0x408000 asid=0 pcid=7 final pages=8",
                "invlpgb va=0x410000 asid=0 pcid=7 final", "tlbsync"});
    CHECK(joined.system.flush(kVa, 3, PageSize::k2M)[1] ==
          "invlpgb va=0x400000 asid=0 pcid=7 final pages=3 stride=2M");
    CHECK(joined.system.flush(k1G, 2, PageSize::k1G).size() == 4);
    CHECK(
        joined.system.run(FlushRange{{.va = VirtAddr(kVa), .pages = 1, .freed_tables = true}})[1] ==
        "invlpgb va=0x400000 asid=0 pcid=7");
}

TEST_CASE("INVLPGB: above the ceiling the PCID goes as a whole") {
    Joined joined;
    CHECK(joined.system.flush(kVa, 34) ==
          Texts{"flush-range 0x400000 pages=34", "invlpgb asid=0 pcid=7", "tlbsync"});
}

TEST_CASE("INVLPGB: a shootdown alone broadcasts itself") {
    Joined joined;
    CHECK(joined.system.shoot_down(kVa + k4K, 1) == Texts{"invlpgb va=0x401000 asid=0 pcid=7 final",
                                                          "tlbsync", "shootdown 0x401000 pages=1"});
}

TEST_CASE("INVLPGB: the kernel's half is broadcast, globals included") {
    OsSystem system(broadcasting(2), exact_amd_machine());
    for (const std::uint32_t cpu : {1u, 0u}) {
        system.cpu(cpu);
        system.load(kKernelVa, Privilege::kKernel);
    }
    CHECK(system.flush_kernel(kKernelVa, 9) ==
          Texts{"flush-range 0xffff888000000000 pages=9 kernel",
                "invlpgb va=0xffff888000000000 asid=0 globals pages=8",
                "invlpgb va=0xffff888000008000 asid=0 globals", "tlbsync"});
    CHECK(system.run(Shootdown{{.va = VirtAddr(kKernelVa), .pages = 9, .kernel = true}}).size() ==
          1);
    system.cpu(1);
    CHECK_FALSE(system.hits(kKernelVa, Privilege::kKernel));
    CHECK(system.flush_kernel(kKernelVa, 34)[1] == "cpu 1: invlpgb asid=0 globals");
}

TEST_CASE("INVLPGB: a space keeps its global PCID through switches and kernel threads") {
    Joined joined;
    OsSystem& system = joined.system;
    system.declare({"a"});
    system.cpu(0);
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=2 tables=kernel");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 noflush pcid=7 tables=kernel");
    CHECK(system.hits(kVa));
    system.idle();
    system.cpu(1);
    system.flush(kVa, 1);
    system.cpu(0);
    CHECK(system.switch_to("s0").size() == 1);
    CHECK_FALSE(system.hits(kVa));
}

TEST_CASE("INVLPGB: with isolation the user's PCID is flushed too") {
    SystemParameters parameters = broadcasting(4);
    parameters.os.pti = true;
    Joined joined(parameters);
    CHECK(joined.system.flush(kVa, 1) ==
          Texts{"mov-cr3 noflush pcid=7 tables=kernel", "flush-range 0x400000 pages=1",
                "invlpgb va=0x400000 asid=0 pcid=7 final",
                "invlpgb va=0x400000 asid=0 pcid=2055 final", "tlbsync"});
    CHECK(joined.system.load(kVa)[0] == "mov-cr3 noflush pcid=2055 tables=user");
    CHECK(joined.system.last().result == TranslationResult::kMiss);
}

TEST_CASE("INVLPGB: in a guest the processor puts in the guest's ASID") {
    SystemParameters parameters = broadcasting(4);
    parameters.paging = Paging::kNested;
    Joined joined(parameters);
    joined.system.flush(kVa, 1);
    for (const std::uint32_t cpu : {0u, 1u, 2u, 3u}) {
        joined.system.cpu(cpu);
        CHECK_FALSE(joined.system.hits(kVa));
    }
}

TEST_CASE("INVLPGB: lazy vCPUs do not count towards a global PCID") {
    OsSystem system(broadcasting(4), exact_amd_machine());
    system.cpu(3);
    system.idle();
    system.cpu(0);
    for (int round = 0; round < 3; ++round) {
        CHECK(system.flush(kVa, 1)[1] == "invlpg 0x400000");
        CHECK(system.shoot_down(kVa, 1)[0] == "shootdown 0x400000 pages=1 cpus=1-2");
    }
}
