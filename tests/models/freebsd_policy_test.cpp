// What FreeBSD makes of flushes and context switches (sys/amd64/amd64/pmap.c).

#include "models/operation_error.h"
#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;
using Texts = OsSystem::Texts;

SystemParameters freebsd(bool pti = false, bool pcid = true, std::uint32_t vcpus = 1) {
    return {.pcid = pcid,
            .vcpus = vcpus,
            .os = {.kind = OsKind::kFreeBsd, .flush_ceiling = 4095, .pti = pti}};
}

MachineParameters without_invpcid() {
    MachineParameters machine = exact_machine();
    machine.features.invpcid = false;
    return machine;
}

}  // namespace

TEST_CASE("FreeBSD: 16 MiB are a whole flush, a page less is not") {
    OsSystem system(freebsd());
    CHECK(system.flush(kVa, 4095).size() == 4096);
    CHECK(system.flush(kVa, 4096) ==
          Texts{"flush-range 0x400000 pages=4096", "invpcid single pcid=2"});
}

TEST_CASE("FreeBSD: a whole flush is INVPCID 1, or a MOV to CR3") {
    CHECK(OsSystem(freebsd(), without_invpcid()).flush(kVa, 4096)[1] == "mov-cr3");
    CHECK(OsSystem(freebsd(false, false)).flush(kVa, 4096)[1] == "mov-cr3");
}

TEST_CASE("FreeBSD: the kernel's half") {
    OsSystem system(freebsd());
    CHECK(system.flush_kernel(kKernelVa, 4095).size() == 4096);
    CHECK(system.flush_kernel(kKernelVa, 4096)[1] == "invpcid all-global");
    const Texts by_cr4{"mov-cr4 pge=0", "mov-cr4 pge=1"};
    for (OsSystem* other :
         {new OsSystem(freebsd(), without_invpcid()), new OsSystem(freebsd(false, false))}) {
        const Texts texts = other->flush_kernel(kKernelVa, 4096);
        CHECK(Texts(texts.begin() + 1, texts.end()) == by_cr4);
        delete other;
    }
}

TEST_CASE("FreeBSD: a stride of large pages is refused") {
    OsSystem system(freebsd());
    CHECK_THROWS_WITH_AS(system.flush(0, 1, PageSize::k2M),
                         "a flush of 1 pages from 0x0 on: stride=2M, where FreeBSD is flushed by "
                         "4K pages",
                         OperationError);
}

TEST_CASE("FreeBSD: each space gets the next PCID and keeps it") {
    OsSystem system(freebsd());
    system.declare({"a", "b"});
    CHECK(system.system().regime().pcid == Pcid(2));  // 0 and 1 are the kernel's
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=3 tables=kernel");
    CHECK(system.switch_to("b")[1] == "mov-cr3 b pcid=4 tables=kernel");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 noflush pcid=2 tables=kernel");
    CHECK(system.switch_to("a")[1] == "mov-cr3 a noflush pcid=3 tables=kernel");
    CHECK(system.switch_to("a").size() == 1);
}

TEST_CASE("FreeBSD: when the PCIDs run out all are given up") {
    for (const bool pti : {false, true}) {
        OsSystem system(freebsd(pti, true, 2));
        system.declare({"a"});
        const int last = pti ? 2047 : 4095;
        // A flush on another vCPU takes a space's PCID away.
        std::string loaded;
        for (int pcid = 3; pcid <= last; ++pcid) {
            system.cpu(0);
            loaded = system.switch_to("a")[1];
            system.switch_to("s0");
            system.cpu(1);
            system.switch_to("a");
            system.flush(kVa, 1);
        }
        CHECK(loaded == "mov-cr3 a pcid=" + std::to_string(last) + " tables=kernel");
        system.cpu(0);
        CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=1 tables=kernel");
        CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=2 tables=kernel");  // lost as well
    }
}

TEST_CASE("FreeBSD: without PCIDs every switch flushes") {
    OsSystem system(freebsd(false, false));
    system.declare({"a"});
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=0 tables=kernel");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=0 tables=kernel");
}

TEST_CASE("FreeBSD: a kernel thread loads the kernel's space") {
    OsSystem system(freebsd());
    CHECK(system.idle()[1] == "mov-cr3 kernel noflush pcid=1 tables=kernel");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 noflush pcid=2 tables=kernel");
}

TEST_CASE("FreeBSD: a flush takes the space's PCID from other vCPUs, and interrupts the active") {
    OsSystem system(freebsd(false, true, 3));
    system.declare({"a"});
    for (const std::uint32_t cpu : {2u, 1u, 0u}) {
        system.cpu(cpu);
        system.load(kVa);
    }
    system.cpu(2);
    system.switch_to("a");
    system.cpu(0);
    system.flush(kVa, 1);
    CHECK(system.shoot_down(kVa, 1) == Texts{"shootdown 0x400000 pages=1 cpus=1",
                                             "cpu 1: flush-range 0x400000 pages=1 remote",
                                             "cpu 1: invlpg 0x400000"});
    system.cpu(2);
    CHECK(system.switch_to("s0")[1] == "cpu 2: mov-cr3 s0 pcid=4 tables=kernel");
    CHECK_FALSE(system.hits(kVa));
    system.cpu(1);
    CHECK_FALSE(system.hits(kVa));
}

TEST_CASE("FreeBSD with PTI: INVPCID 0 of the user's PCID, after all INVLPG") {
    OsSystem system(freebsd(true));
    system.load(kVa);
    system.load(kVa, Privilege::kKernel);
    CHECK(system.flush(kVa, 2) == Texts{"flush-range 0x400000 pages=2", "invlpg 0x400000",
                                        "invlpg 0x401000", "invpcid address pcid=2050 va=0x400000",
                                        "invpcid address pcid=2050 va=0x401000"});
    CHECK(system.load(kVa)[0] == "mov-cr3 noflush pcid=2050 tables=user");
    CHECK(system.last().result == TranslationResult::kMiss);
}

TEST_CASE("FreeBSD with PTI: without INVPCID the user's tables are loaded for INVLPG") {
    OsSystem system(freebsd(true), without_invpcid());
    system.load(kVa);
    system.load(kVa, Privilege::kKernel);
    CHECK(system.flush(kVa, 1) == Texts{"flush-range 0x400000 pages=1", "invlpg 0x400000",
                                        "mov-cr3 noflush pcid=2050 tables=user", "invlpg 0x400000",
                                        "mov-cr3 noflush pcid=2 tables=kernel"});
    system.load(kVa);
    CHECK(system.last().result == TranslationResult::kMiss);
}

TEST_CASE("FreeBSD with PTI: a whole flush leaves the user's PCID to the way back") {
    OsSystem system(freebsd(true));
    system.load(kVa);
    system.load(kVa, Privilege::kKernel);
    CHECK(system.flush(kVa, 4096)[1] == "invpcid single pcid=2");
    CHECK(system.flush(kVa, 1).size() == 2);  // INVPCID would be in vain
    CHECK(system.load(kVa)[0] == "mov-cr3 pcid=2050 tables=user");
    CHECK(system.last().result == TranslationResult::kMiss);
    system.load(kVa, Privilege::kKernel);
    CHECK(system.load(kVa)[0] == "mov-cr3 noflush pcid=2050 tables=user");
}

TEST_CASE("FreeBSD with PTI: a flush still owed when another space is loaded costs the PCID") {
    OsSystem system(freebsd(true));
    system.declare({"a"});
    system.flush(kVa, 4096);
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=3 tables=kernel");
    CHECK(system.load(kVa)[0] == "mov-cr3 pcid=2051 tables=user");  // never used before
    CHECK(system.switch_to("s0")[2] == "mov-cr3 s0 pcid=4 tables=kernel");
    system.load(kVa);
    // The kernel's PCID is flushed at every switch, the user's kept.
    CHECK(system.switch_to("a")[2] == "mov-cr3 a pcid=3 tables=kernel");
    CHECK(system.load(kVa)[0] == "mov-cr3 noflush pcid=2051 tables=user");
}

TEST_CASE("FreeBSD with PTI: without PCIDs every way flushes") {
    OsSystem system(freebsd(true, false));
    CHECK(system.load(kVa)[0] == "mov-cr3 pcid=0 tables=user");
    CHECK(system.flush(kVa, 1) ==
          Texts{"mov-cr3 pcid=0 tables=kernel", "flush-range 0x400000 pages=1", "invlpg 0x400000"});
}
