// Linux's context switches: a few PCIDs a vCPU, each for the address space that used it last
// (switch_mm_irqs_off() and choose_new_asid(), arch/x86/mm/tlb.c).

#include "models/operation_error.h"
#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;
using Texts = OsSystem::Texts;

std::vector<std::string> names(std::size_t spaces) {
    std::vector<std::string> found{"s0"};
    while (found.size() < spaces) found.push_back("p" + std::to_string(found.size()));
    return found;
}

struct Switches {
    std::size_t flushing{};
    std::size_t keeping{};
};

/// `rounds` times around `spaces` spaces, after a first one that is not counted.
Switches switches_in_turn(std::size_t spaces, std::size_t rounds, std::uint32_t dynamic_pcids) {
    SystemParameters parameters = linux_system();
    parameters.os.dynamic_pcids = dynamic_pcids;
    OsSystem system(parameters);
    system.declare(names(spaces));
    Switches made;
    for (std::size_t round = 0; round <= rounds; ++round) {
        for (const std::string& space : names(spaces)) {
            for (const std::string& text : system.switch_to(space)) {
                if (text.compare(0, 7, "mov-cr3") != 0 || round == 0) continue;
                const bool keeps = text.find("noflush") != std::string::npos;
                ++(keeps ? made.keeping : made.flushing);
            }
        }
    }
    return made;
}

}  // namespace

TEST_CASE("Linux: spaces in turn never flush while there is a PCID for each, else always") {
    for (const std::uint32_t pcids : {2u, 6u}) {
        for (std::size_t spaces = 2; spaces <= 8; ++spaces) {
            CAPTURE(pcids);
            CAPTURE(spaces);
            const Switches made = switches_in_turn(spaces, 5, pcids);
            CHECK(made.flushing == (spaces <= pcids ? 0 : 5 * spaces));
            CHECK(made.keeping == (spaces <= pcids ? 5 * spaces : 0));
        }
    }
}

TEST_CASE("Linux: with one PCID every switch flushes") {
    CHECK(switches_in_turn(2, 5, 1).flushing == 10);
}

TEST_CASE("Linux: slot n has PCID n + 1, and a new space takes the next slot") {
    OsSystem system(linux_system());
    system.declare(names(8));
    CHECK(system.system().regime().pcid == Pcid(1));
    CHECK(system.switch_to("p1") == Texts{"switch p1", "mov-cr3 p1 pcid=2 tables=kernel"});
    CHECK(system.switch_to("s0") == Texts{"switch s0", "mov-cr3 s0 noflush pcid=1 tables=kernel"});
    for (const char* space : {"p2", "p3", "p4", "p5"}) system.switch_to(space);
    CHECK(system.system().regime().pcid == Pcid(6));
    CHECK(system.switch_to("p6")[1] == "mov-cr3 p6 pcid=1 tables=kernel");  // s0's
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=2 tables=kernel");  // p1's
}

TEST_CASE("Linux: a switch to the space that is loaded does nothing") {
    OsSystem system(linux_system());
    CHECK(system.switch_to("s0") == Texts{"switch s0"});
}

TEST_CASE("Linux: without PCIDs a switch flushes and the PCID is 0") {
    SystemParameters parameters = linux_system();
    parameters.pcid = false;
    OsSystem system(parameters);
    system.declare({"a"});
    system.load(kVa);
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=0 tables=kernel");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=0 tables=kernel");
    CHECK_FALSE(system.hits(kVa));
}

TEST_CASE("Linux: what a space has cached under its PCID is there when it comes back") {
    OsSystem system(linux_system());
    system.declare({"a"});
    system.load(kVa);
    system.switch_to("a");
    CHECK_FALSE(system.hits(kVa));
    system.switch_to("s0");
    CHECK(system.hits(kVa));
}

TEST_CASE("Linux: a kernel thread keeps the tables of the space before it") {
    OsSystem system(linux_system());
    system.declare({"a"});
    CHECK(system.idle() == Texts{"switch idle"});
    CHECK(system.switch_to("s0") == Texts{"switch s0"});
    system.idle();
    CHECK(system.switch_to("a")[1] == "mov-cr3 a pcid=2 tables=kernel");
}

TEST_CASE("Linux: without lazy TLB a kernel thread loads the kernel's own space") {
    SystemParameters parameters = linux_system();
    parameters.os.lazy_tlb = false;
    OsSystem system(parameters);
    CHECK(system.idle() == Texts{"switch idle", "mov-cr3 kernel pcid=2 tables=kernel"});
    CHECK(system.idle() == Texts{"switch idle"});
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 noflush pcid=1 tables=kernel");
}

TEST_CASE("Linux: a kernel thread runs no user code and touches no addresses of users") {
    OsSystem system(linux_system());
    system.idle();
    const char* const refusal =
        "load: a kernel thread runs, which has neither code nor addresses of a user; 'switch "
        "SPACE' first";
    CHECK_THROWS_WITH_AS(system.load(kVa), refusal, OperationError);
    CHECK_THROWS_WITH_AS(system.load(kVa, Privilege::kKernel), refusal, OperationError);
    CHECK_THROWS_WITH_AS(system.load(kKernelVa), refusal, OperationError);
    CHECK_NOTHROW(system.load(kKernelVa, Privilege::kKernel));
    system.switch_to("s0");
    CHECK_NOTHROW(system.load(kVa));
}

TEST_CASE("an operating system's policy is the one that loads spaces") {
    OsSystem system(linux_system());
    system.declare({"a"});
    CHECK_THROWS_WITH_AS(system.run(MovCr3{.space = "a"}),
                         "mov-cr3: under system.os the operating system chooses what CR3 holds; "
                         "write 'switch a'",
                         OperationError);
    CHECK_THROWS_WITH_AS(system.run(TaskSwitch{"a"}),
                         "task-switch: under system.os the operating system chooses what CR3 "
                         "holds; write 'switch a'",
                         OperationError);
    CHECK_THROWS_AS(system.run(MovCr3{.pcid = Pcid(3)}), OperationError);
    CHECK_NOTHROW(system.run(MovCr3{}));
    CHECK_THROWS_WITH_AS(system.switch_to("b"),
                         "no space 'b' in host; declare it with 'space b' where it is used",
                         OperationError);
}

TEST_CASE("records of an operating system need one") {
    TestSystem none(exact_machine());
    const std::string wanted =
        ": no operating system is chosen that would know how; set system.os.kind: linux or freebsd";
    CHECK_THROWS_WITH_AS(none.apply(SwitchSpace{"s0"}), ("switch" + wanted).c_str(),
                         OperationError);
    SystemParameters parameters = nested_system();
    parameters.os.kind = OsKind::kLinux;
    TestSystem guest(exact_machine(), parameters);
    guest.apply(FlushRange{{.va = VirtAddr(kVa), .pages = 1}});
    guest.vm_exit();
    CHECK_THROWS_WITH_AS(guest.apply(FlushRange{{.va = VirtAddr(kVa), .pages = 1}}),
                         "flush-range: the host runs, and system.os is the guest's",
                         OperationError);
    CHECK_THROWS_WITH_AS(guest.apply(VmcbCr3{"s0"}),
                         "vmcb-cr3: under system.os the operating system chooses what CR3 holds; "
                         "write 'switch s0'",
                         OperationError);
}
