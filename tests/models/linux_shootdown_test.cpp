// Linux's shootdowns: who is interrupted, what it executes, and what it knows afterwards
// (native_flush_tlb_multi(), flush_tlb_func(), arch/x86/mm/tlb.c).

#include "models/operation_error.h"
#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;
using Texts = OsSystem::Texts;

/// Three vCPUs that run s0, where kVa is cached.
struct Three {
    explicit Three(SystemParameters parameters = linux_system(3)) : system(parameters) {
        system.declare({"a"});
        for (const std::uint32_t cpu : {2u, 1u, 0u}) {
            system.cpu(cpu);
            system.load(kVa);
        }
    }
    bool hits_on(std::uint32_t cpu) {
        system.cpu(cpu);
        return system.hits(kVa);
    }
    /// vCPU 1 runs a kernel thread; vCPU 0 goes on.
    void idle_on_1() {
        system.cpu(1);
        system.idle();
        system.cpu(0);
    }
    const Texts& free_tables() {
        return system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 1, .freed_tables = true}});
    }

    OsSystem system;
};

}  // namespace

TEST_CASE("shootdown: every other vCPU that runs the space takes an interrupt and flushes") {
    Three three;
    three.system.flush(kVa, 1);
    CHECK(three.system.shoot_down(kVa, 1) ==
          Texts{"shootdown 0x400000 pages=1 cpus=1-2", "cpu 1: flush-range 0x400000 pages=1 remote",
                "cpu 1: invlpg 0x400000", "cpu 2: flush-range 0x400000 pages=1 remote",
                "cpu 2: invlpg 0x400000"});
    for (const std::uint32_t cpu : {0u, 1u, 2u}) CHECK_FALSE(three.hits_on(cpu));
}

TEST_CASE("shootdown: above the ceiling a target flushes its PCID") {
    Three three;
    three.system.flush(kVa, 34);
    CHECK(three.system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 34}, {2}}) ==
          Texts{"shootdown 0x400000 pages=34 cpus=2", "cpu 2: flush-range 0x400000 pages=34 remote",
                "cpu 2: mov-cr3"});
}

TEST_CASE("shootdown: only vCPUs that are named, and the vCPU goes on that sent it") {
    Three three;
    three.system.flush(kVa, 1);
    three.system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 1}, {2}});
    CHECK(three.system.system().current_vcpu() == 0);
    CHECK(three.hits_on(1));
    CHECK_FALSE(three.hits_on(2));
}

TEST_CASE("shootdown: a vCPU that missed a flush makes the next one whole") {
    Three three;
    three.system.flush(kVa, 1);
    three.system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 1}, {2}});
    three.system.flush(kVa + k4K, 1);
    CHECK(three.system.shoot_down(kVa + k4K, 1) ==
          Texts{"shootdown 0x401000 pages=1 cpus=1-2", "cpu 1: flush-range 0x401000 pages=1 remote",
                "cpu 1: mov-cr3", "cpu 2: flush-range 0x401000 pages=1 remote",
                "cpu 2: invlpg 0x401000"});
    CHECK_FALSE(three.hits_on(1));
}

TEST_CASE("shootdown: one that does not follow its flush-range is a flush of its own") {
    Three three;
    three.system.shoot_down(kVa, 1);
    CHECK_FALSE(three.hits_on(1));
    // The vCPU that sent it owes itself the flush; the other part of the same one makes it good.
    three.system.cpu(0);
    CHECK(three.system.flush(kVa, 1)[1] == "invlpg 0x400000");
    three.system.shoot_down(kVa, 1);
    // Another range: two behind.
    CHECK(three.system.flush(kVa + k4K, 1)[1] == "mov-cr3");
}

TEST_CASE("shootdown: a vCPU that has caught up owes nothing, and flushes for a new reason") {
    OsSystem system(linux_system());
    system.declare({"a"});
    system.shoot_down(kVa, 1);
    system.switch_to("a");
    CHECK(system.switch_to("s0")[1] == "mov-cr3 s0 pcid=1 tables=kernel");
    CHECK(system.flush(kVa, 1)[1] == "invlpg 0x400000");
}

TEST_CASE("shootdown: a flush that is repeated is another flush") {
    Three three;
    three.system.flush(kVa, 1);
    three.system.shoot_down(kVa, 1);
    CHECK(three.system.shoot_down(kVa, 1)[2] == "cpu 1: invlpg 0x400000");
}

TEST_CASE("shootdown: a vCPU that runs another space flushes when it comes back") {
    Three three;
    three.system.cpu(1);
    three.system.switch_to("a");
    three.system.cpu(0);
    three.system.flush(kVa, 1);
    CHECK(three.system.shoot_down(kVa, 1)[0] == "shootdown 0x400000 pages=1 cpus=2");
    three.system.cpu(1);
    CHECK(three.system.switch_to("s0")[1] == "cpu 1: mov-cr3 s0 pcid=1 tables=kernel");
    CHECK_FALSE(three.system.hits(kVa));
    three.system.switch_to("a");
    CHECK(three.system.switch_to("s0")[1] == "cpu 1: mov-cr3 s0 noflush pcid=1 tables=kernel");
}

TEST_CASE("shootdown: with nobody to interrupt there is none") {
    OsSystem alone(linux_system());
    alone.flush(kVa, 1);
    CHECK(alone.shoot_down(kVa, 1) == Texts{"shootdown 0x400000 pages=1"});
    CHECK(alone.last().ipis == 0);
}

TEST_CASE("shootdown: of the kernel's half every vCPU takes part, lazy ones too") {
    Three three;
    three.idle_on_1();
    three.system.flush_kernel(kKernelVa, 1);
    CHECK(three.system.run(Shootdown{{.va = VirtAddr(kKernelVa), .pages = 1, .kernel = true}}) ==
          Texts{"shootdown 0xffff888000000000 pages=1 kernel cpus=1-2",
                "cpu 1: flush-range 0xffff888000000000 pages=1 kernel remote",
                "cpu 1: invlpg 0xffff888000000000",
                "cpu 2: flush-range 0xffff888000000000 pages=1 kernel remote",
                "cpu 2: invlpg 0xffff888000000000"});
}

TEST_CASE("shootdown: vCPUs that there are not, or that sends") {
    Three three;
    CHECK_THROWS_WITH_AS(three.system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 1}, {1, 3}}),
                         "shootdown: there is no cpu 3: system.vcpus is 3", OperationError);
    CHECK_THROWS_WITH_AS(three.system.run(Shootdown{{.va = VirtAddr(kVa), .pages = 1}, {0}}),
                         "shootdown: cpu 0 is the one that sends; its own part is a flush-range",
                         OperationError);
}

TEST_CASE("lazy TLB: a shootdown skips a kernel thread unless tables were freed (T94)") {
    Three three;
    three.idle_on_1();
    three.system.flush(kVa, 1);
    CHECK(three.system.shoot_down(kVa, 1)[0] == "shootdown 0x400000 pages=1 cpus=2");
    three.system.run(FlushRange{{.va = VirtAddr(kVa), .pages = 1, .freed_tables = true}});
    const Texts texts = three.free_tables();
    CHECK(texts[0] == "shootdown 0x400000 pages=1 freed-tables cpus=1-2");
    CHECK(texts[2] == "cpu 1: mov-cr3 kernel pcid=2 tables=kernel");
    CHECK(three.free_tables()[0] == "shootdown 0x400000 pages=1 freed-tables cpus=2");
}

TEST_CASE("lazy TLB: back from a kernel thread, flushes that were missed are made good") {
    for (const bool flushed : {false, true}) {
        Three three;
        three.idle_on_1();
        if (flushed) {
            three.system.flush(kVa, 1);
            three.system.shoot_down(kVa, 1);
        }
        three.system.cpu(1);
        const Texts texts = three.system.switch_to("s0");
        CHECK(texts.size() == (flushed ? 2 : 1));
        if (flushed) CHECK(texts[1] == "cpu 1: mov-cr3 s0 pcid=1 tables=kernel");
        CHECK(three.system.hits(kVa) != flushed);
    }
}

TEST_CASE("lazy TLB: between threads of one process nothing is flushed") {
    Three three;
    three.system.flush(kVa, 1);
    three.system.cpu(1);
    CHECK(three.system.switch_to("s0").size() == 1);  // not lazy: the interrupt is still to come
}

TEST_CASE("shootdown: a target that runs user code enters the kernel and goes back") {
    SystemParameters parameters = linux_system(3);
    parameters.os.pti = true;
    Three three(parameters);
    three.system.cpu(2);
    three.system.load(kKernelVa, Privilege::kKernel);
    three.system.cpu(0);
    three.system.flush(kVa, 1);
    CHECK(three.system.shoot_down(kVa, 1) ==
          Texts{"shootdown 0x400000 pages=1 cpus=1-2", "cpu 1: flush-range 0x400000 pages=1 remote",
                "cpu 1: mov-cr3 noflush pcid=1 tables=kernel", "cpu 1: invlpg 0x400000",
                "cpu 1: invpcid address pcid=2049 va=0x400000",
                "cpu 1: mov-cr3 noflush pcid=2049 tables=user",
                "cpu 2: flush-range 0x400000 pages=1 remote", "cpu 2: invlpg 0x400000",
                "cpu 2: invpcid address pcid=2049 va=0x400000"});
}

TEST_CASE("shootdown: what a vCPU is told by one that the trace does not have") {
    OsSystem system(linux_system());
    const auto told = [&](std::uint64_t va, std::uint64_t pages) {
        return system.run(FlushRange{{.va = VirtAddr(va), .pages = pages}, true});
    };
    CHECK(told(kVa, 1) == Texts{"flush-range 0x400000 pages=1 remote", "invlpg 0x400000"});
    CHECK(told(kVa, 1)[1] == "invlpg 0x400000");
    CHECK(told(kVa, 34)[1] == "mov-cr3");
    OsSystem two(linux_system(2));
    two.run(FlushRange{{.va = VirtAddr(kVa), .pages = 1}, true});
    two.cpu(1);
    // The same flush, seen on both vCPUs.
    CHECK(two.run(FlushRange{{.va = VirtAddr(kVa), .pages = 1}, true})[1] ==
          "cpu 1: invlpg 0x400000");
}

TEST_CASE("shootdown: a vCPU that has left the guest takes the interrupt when it comes back") {
    SystemParameters parameters = linux_system(2);
    parameters.paging = Paging::kNested;
    OsSystem system(parameters);
    system.cpu(1);
    system.load(kVa);
    system.run(VmExit{});
    system.cpu(0);
    system.flush(kVa, 1);
    CHECK(system.shoot_down(kVa, 1) == Texts{"shootdown 0x400000 pages=1 cpus=1"});
    system.flush(kVa + k4K, 1);
    system.shoot_down(kVa + k4K, 1);
    system.cpu(1);
    CHECK(system.run(VmEntry{}) ==
          Texts{"cpu 1: vmentry", "cpu 1: flush-range 0x401000 pages=1 remote", "cpu 1: mov-cr3"});
    CHECK_FALSE(system.hits(kVa));
    system.run(VmExit{});
    CHECK(system.run(VmEntry{}).size() == 1);
}

// --- Parts that are records of their own --------------------------------------------------------

namespace {

Shootdown part_of(Shootdown::Part part, std::uint64_t va = kVa) {
    return {.range = {.va = VirtAddr(va), .pages = 1}, .part = part};
}
FlushRange interrupted(std::uint32_t from, std::uint64_t va = kVa) {
    return {.range = {.va = VirtAddr(va), .pages = 1}, .remote = true, .from = from};
}

}  // namespace

TEST_CASE("shootdown: in parts each vCPU executes what it does of the whole") {
    Three three;
    OsSystem& system = three.system;
    system.flush(kVa, 1);
    CHECK(system.run(part_of(Shootdown::Part::kSend)) ==
          Texts{"shootdown 0x400000 pages=1 cpus=1-2 send"});
    CHECK(system.last().ipis == 2);
    CHECK(system.system().interrupted_by(0) == std::vector<std::size_t>{1, 2});
    CHECK_THROWS_WITH_AS(system.run(part_of(Shootdown::Part::kEnd)),
                         "shootdown: vCPU 1 has not taken its interrupt; expected a 'flush-range "
                         "... remote' of it before the end",
                         OperationError);
    for (const std::uint32_t cpu : {2u, 1u}) {
        system.cpu(cpu);
        const std::string name = "cpu " + std::to_string(cpu) + ": ";
        CHECK(system.run(interrupted(0)) ==
              Texts{name + "flush-range 0x400000 pages=1 remote", name + "invlpg 0x400000"});
    }
    CHECK(system.system().interrupted_by(0).empty());
    system.cpu(0);
    CHECK(system.run(part_of(Shootdown::Part::kEnd)).empty());
    for (const std::uint32_t cpu : {0u, 1u, 2u}) CHECK_FALSE(three.hits_on(cpu));
}

TEST_CASE("shootdown: of two that overlap interrupts may be taken in any order") {
    Three three;
    OsSystem& system = three.system;
    system.flush(kVa, 1);
    system.run(part_of(Shootdown::Part::kSend));
    // Another vCPU flushes before the interrupts of the first arrive.
    system.cpu(2);
    system.run(part_of(Shootdown::Part::kSend, kVa + k4K));
    system.cpu(1);
    system.run(interrupted(2, kVa + k4K));
    CHECK(system.texts().back() == "cpu 1: mov-cr3");  // both
    CHECK(system.system().interrupted_by(2) == std::vector<std::size_t>{0});
    CHECK(system.system().interrupted_by(0) == std::vector<std::size_t>{1, 2});
    system.run(interrupted(0));
    CHECK(system.texts().back() == "cpu 1: flush-range 0x400000 pages=1 remote");  // nothing left
    system.cpu(2);
    system.run(interrupted(0));
    CHECK(system.texts().back() == "cpu 2: mov-cr3");  // catches up with its own as well
    CHECK_FALSE(three.hits_on(1));
    CHECK_FALSE(three.hits_on(2));
}

TEST_CASE("shootdown: an exit that the hypervisor answers postpones no interrupt") {
    SystemParameters parameters = linux_system(3);
    parameters.paging = Paging::kNested;
    parameters.hypervisor.kind = Hypervisor::kXenHap;
    parameters.hypervisor.cr4_filter = Cr4Filter::kNone;
    Three three(parameters);
    OsSystem& system = three.system;
    system.flush(kVa, 1);
    system.run(part_of(Shootdown::Part::kSend));
    system.cpu(1);
    const Texts exits = system.run(TogglePge{});
    CHECK(std::count(exits.begin(), exits.end(), "cpu 1: vmexit mov-cr4") == 2);
    CHECK(system.system().interrupted_by(0) == std::vector<std::size_t>{1, 2});
    CHECK(system.run(interrupted(0)) ==
          Texts{"cpu 1: flush-range 0x400000 pages=1 remote", "cpu 1: invlpg 0x400000"});
    // One that the trace makes does, until it enters the guest again.
    system.cpu(2);
    system.run(VmExit{});
    CHECK(system.system().interrupted_by(0).empty());
    const Texts entered = system.run(VmEntry{});
    CHECK(std::count(entered.begin(), entered.end(), "cpu 2: invlpg 0x400000") == 1);
}
