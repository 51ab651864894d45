// Linux with page-table isolation: a second top-level table for user code, entry into the kernel
// and the way back, and what a flush owes the user's PCID.

#include "models/operation_error.h"
#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;
using Texts = OsSystem::Texts;

SystemParameters isolated(bool pcid = true) {
    SystemParameters parameters = linux_system();
    parameters.pcid = pcid;
    parameters.os.pti = true;
    return parameters;
}

MachineParameters without_invpcid() {
    MachineParameters machine = exact_machine();
    machine.features.invpcid = false;
    return machine;
}

const std::string kEntry = "mov-cr3 noflush pcid=1 tables=kernel";
const std::string kExit = "mov-cr3 noflush pcid=2049 tables=user";
const std::string kFlushingExit = "mov-cr3 pcid=2049 tables=user";

/// The entry of `level` on the path of `va` in the tables of a space.
std::uint64_t entry(OsSystem& system, std::uint64_t root, std::uint64_t va, int level) {
    const Software& os = system.system().state().software[0];
    std::uint64_t table = root;
    for (int at = os.levels;; --at) {
        const std::uint64_t raw = os.memory.read(table + 8 * table_index(va, at));
        if (at == level) return raw;
        table = raw & 0x000f'ffff'ffff'f000;
    }
}

}  // namespace

TEST_CASE("PTI: user code after the kernel and the kernel after user code are a MOV to CR3 each") {
    OsSystem system(isolated());
    CHECK(system.load(kVa) == Texts{kExit, "load 0x400000"});
    CHECK(system.load(kVa) == Texts{"load 0x400000"});
    CHECK(system.load(kKernelVa, Privilege::kKernel) ==
          Texts{kEntry, "load 0xffff888000000000 kernel"});
    CHECK(system.load(kVa, Privilege::kKernel) == Texts{"load 0x400000 kernel"});
    CHECK(system.run(Invlpg{VirtAddr(kVa)}).size() == 1);
    CHECK(system.load(kVa)[0] == kExit);
    CHECK(system.run(Invlpg{VirtAddr(kVa)})[0] == kEntry);  // privileged
    CHECK(system.load(kVa)[0] == kExit);
    CHECK(system.run(Evict{VirtAddr(kVa)}).size() == 1);  // a hook, and no code
    CHECK(system.run(Map{.va = VirtAddr(kVa), .user = true}).size() == 1);
}

TEST_CASE("PTI: without isolation there are no such loads of CR3") {
    OsSystem system(linux_system());
    CHECK(system.load(kVa).size() == 1);
    CHECK(system.load(kKernelVa, Privilege::kKernel).size() == 1);
}

TEST_CASE("PTI: with PCIDs entry and exit keep what is cached, without they drop it") {
    for (const bool pcid : {true, false}) {
        OsSystem system(isolated(pcid));
        system.load(kVa);
        system.load(kKernelVa, Privilege::kKernel);
        CHECK(system.hits(kVa) == pcid);
        CHECK(system.hits(kKernelVa, Privilege::kKernel) == pcid);
        CHECK(system.run(Invlpg{VirtAddr(0)}).size() == 1);
        CHECK(system.load(kVa)[0] == (pcid ? kExit : "mov-cr3 pcid=0 tables=user"));
    }
}

TEST_CASE("PTI: the kernel and the user cache a page of the user apart") {
    OsSystem system(isolated());
    system.load(kVa);
    CHECK_FALSE(system.hits(kVa, Privilege::kKernel));
    CHECK(system.hits(kVa));
    CHECK(system.hits(kVa, Privilege::kKernel));
}

TEST_CASE("PTI: the user's table has the user's half and nothing of the kernel's") {
    OsSystem system(isolated());
    const Space space = system.system().state().software[0].spaces[0];
    system.load(kKernelVa, Privilege::kKernel);
    system.load(kVa);
    system.load(0x7fff'0000'0000);
    for (const std::uint64_t va : {kVa, std::uint64_t{0x7fff'0000'0000}}) {
        CHECK(entry(system, space.root, va, 4) != 0);
        CHECK(entry(system, space.user_root, va, 4) == entry(system, space.root, va, 4));
    }
    CHECK(entry(system, space.root, kKernelVa, 4) != 0);
    CHECK(entry(system, space.user_root, kKernelVa, 4) == 0);
    system.load(kKernelVa);
    CHECK(system.last().fault.kind == FaultKind::kPageFault);
}

TEST_CASE("PTI: what records do to the tables is seen by user code") {
    OsSystem system(isolated());
    const std::uint64_t far = 5 * k512G;
    system.run(Map{.va = VirtAddr(far), .size = PageSize::k1G, .user = true});
    CHECK(system.load(far).size() == 2);
    CHECK(system.last().result == TranslationResult::kMiss);
    system.run(SetEntry{.va = VirtAddr(far), .edit = {.level = 4, .present = false}});
    system.flush(far, 1);
    system.load(far);
    CHECK(system.last().fault.kind == FaultKind::kPageFault);
    system.run(SetEntry{.va = VirtAddr(far), .edit = {.level = 4, .present = true}});
    system.load(far);
    CHECK(system.last().result == TranslationResult::kMiss);
    system.run(Unmap{.va = VirtAddr(far)});
    system.flush(far, 1);
    system.load(far);
    CHECK(system.last().fault.kind == FaultKind::kPageFault);
}

TEST_CASE("PTI: accessed flags of the two top-level entries are set by their own walks") {
    SystemParameters parameters = isolated();
    parameters.accessed_dirty_preset = false;
    OsSystem system(parameters);
    const Space space = system.system().state().software[0].spaces[0];
    constexpr std::uint64_t kAccessed = 1u << 5;
    system.load(kVa);
    CHECK((entry(system, space.user_root, kVa, 4) & kAccessed) != 0);
    CHECK((entry(system, space.root, kVa, 4) & kAccessed) == 0);
    system.run(Map{.va = VirtAddr(kVa + k4K), .user = true});
    CHECK((entry(system, space.user_root, kVa, 4) & kAccessed) != 0);
    system.load(kVa, Privilege::kKernel);
    CHECK((entry(system, space.root, kVa, 4) & kAccessed) != 0);
}

TEST_CASE("PTI: a page is flushed by INVLPG and INVPCID of the user's PCID") {
    OsSystem system(isolated());
    system.load(kVa);
    CHECK(system.flush(kVa, 2) == Texts{kEntry, "flush-range 0x400000 pages=2", "invlpg 0x400000",
                                        "invpcid address pcid=2049 va=0x400000", "invlpg 0x401000",
                                        "invpcid address pcid=2049 va=0x401000"});
    CHECK(system.load(kVa)[0] == kExit);
    CHECK(system.last().result == TranslationResult::kMiss);
}

TEST_CASE("PTI: without INVPCID the user's PCID is flushed on the way back") {
    OsSystem system(isolated(), without_invpcid());
    system.load(kVa);
    system.load(kVa + k1G);
    CHECK(system.flush(kVa, 1) == Texts{kEntry, "flush-range 0x400000 pages=1", "invlpg 0x400000"});
    CHECK(system.load(kVa)[0] == kFlushingExit);
    CHECK_FALSE(system.hits(kVa + k1G));  // all of the user's
    system.load(kKernelVa, Privilege::kKernel);
    CHECK(system.load(kVa)[0] == kExit);  // once
}

TEST_CASE("PTI: a whole flush leaves the user's PCID to the way back") {
    OsSystem system(isolated());
    system.load(kVa);
    CHECK(system.flush(kVa, 34) == Texts{kEntry, "flush-range 0x400000 pages=34", "mov-cr3"});
    CHECK(system.load(kVa)[0] == kFlushingExit);
    CHECK_FALSE(system.hits(kVa, Privilege::kKernel));
}

TEST_CASE("PTI: without PCIDs every way flushes, and a flush owes nothing") {
    OsSystem system(isolated(false));
    system.load(kVa);
    CHECK(system.flush(kVa, 1) ==
          Texts{"mov-cr3 pcid=0 tables=kernel", "flush-range 0x400000 pages=1", "invlpg 0x400000"});
}

TEST_CASE("PTI: a new space's user PCID is flushed on the first way back, a kept one's not") {
    OsSystem system(isolated());
    system.declare({"a"});
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=2 tables=kernel");
    CHECK(system.load(kVa)[0] == "mov-cr3 pcid=2050 tables=user");
    CHECK(system.switch_to("s0") == Texts{"mov-cr3 noflush pcid=2 tables=kernel", "switch s0",
                                          "mov-cr3 s0 noflush pcid=1 tables=kernel"});
    CHECK(system.load(kVa)[0] == kExit);
    system.switch_to("a");
    CHECK(system.load(kVa)[0] == "mov-cr3 noflush pcid=2050 tables=user");
}

TEST_CASE("PTI: a page of the kernel is given up in other spaces when they are loaded next") {
    OsSystem system(isolated());
    system.declare({"a"});
    system.load(kKernelVa, Privilege::kKernel);
    system.switch_to("a");
    system.load(kKernelVa, Privilege::kKernel);
    CHECK(system.flush_kernel(kKernelVa, 1) ==
          Texts{"flush-range 0xffff888000000000 pages=1 kernel", "invlpg 0xffff888000000000",
                "invpcid address pcid=2050 va=0xffff888000000000"});
    // s0 has lost its slot: the next in turn, bit 63 clear.
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=3 tables=kernel");
    CHECK_FALSE(system.hits(kKernelVa, Privilege::kKernel));
    CHECK(system.switch_to("a")[1] == "mov-cr3 a noflush pcid=2 tables=kernel");
}

TEST_CASE("PTI: kernel pages are not global") {
    OsSystem system(isolated());
    system.declare({"a"});
    system.load(kKernelVa, Privilege::kKernel);
    system.switch_to("a");
    CHECK_FALSE(system.hits(kKernelVa, Privilege::kKernel));
}

TEST_CASE("PTI: a trace can load the user's tables only where there are any") {
    TestSystem none(exact_machine());
    CHECK_THROWS_WITH_AS(none.apply(MovCr3{.tables = Tables::kUser}),
                         "mov-cr3: space 's0' has no tables of the user's: system.os.pti is not on",
                         OperationError);
}

TEST_CASE("PTI: nested and shadow paging translate by the user's table too") {
    for (const Paging paging : {Paging::kNested, Paging::kShadow}) {
        SystemParameters parameters = isolated();
        parameters.paging = paging;
        OsSystem system(parameters);
        system.load(kVa);
        CHECK(system.last().result == TranslationResult::kMiss);
        CHECK(system.hits(kVa));
        system.load(kKernelVa, Privilege::kKernel);
        CHECK(system.last().result == TranslationResult::kMiss);
        CHECK(system.hits(kKernelVa, Privilege::kKernel));
        system.load(kKernelVa);
        CHECK(system.last().fault.kind == FaultKind::kPageFault);
        system.run(Unmap{.va = VirtAddr(kVa)});
        system.flush(kVa, 1);
        system.load(kVa);
        CHECK(system.last().fault.kind == FaultKind::kPageFault);
    }
}
