// What Linux makes of a flush of a range, on the vCPU that asks (flush_tlb_mm_range() and
// flush_tlb_kernel_range(), arch/x86/mm/tlb.c).

#include "models/operation_error.h"
#include "tests/models/os_support.h"
#include "tests/models/test_system.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kVa = 0x40'0000;

std::size_t count(const OsSystem::Texts& texts, const std::string& start) {
    return static_cast<std::size_t>(std::count_if(
        texts.begin(), texts.end(),
        [&](const std::string& text) { return text.compare(0, start.size(), start) == 0; }));
}

/// What follows the record itself.
OsSystem::Texts made(const OsSystem::Texts& texts) { return {texts.begin() + 1, texts.end()}; }

template <typename Flush>
std::string refusal(Flush flush) {
    try {
        flush();
    } catch (const OperationError& error) {
        return error.what();
    }
    return "accepted";
}

SystemParameters with_ceiling(std::uint64_t ceiling) {
    SystemParameters parameters = linux_system();
    parameters.os.flush_ceiling = ceiling;
    return parameters;
}

MachineParameters without_invpcid() {
    MachineParameters machine = exact_machine();
    machine.features.invpcid = false;
    return machine;
}

}  // namespace

TEST_CASE("Linux: a flush is single pages up to the ceiling and one MOV to CR3 above it") {
    for (const std::uint64_t ceiling : {0u, 1u, 33u, 512u}) {
        for (const PageSize stride : {PageSize::k4K, PageSize::k2M, PageSize::k1G}) {
            CAPTURE(ceiling);
            OsSystem system(with_ceiling(ceiling));
            for (const std::uint64_t pages : {ceiling - (ceiling > 0 ? 1 : 0), ceiling}) {
                const OsSystem::Texts texts = made(system.flush(k1G, pages, stride));
                CHECK(texts.size() == pages);
                CHECK(count(texts, "invlpg ") == pages);
            }
            CHECK(made(system.flush(k1G, ceiling + 1, stride)) == OsSystem::Texts{"mov-cr3"});
        }
    }
}

TEST_CASE("Linux: the addresses of a flush are the range's, a stride apart") {
    OsSystem system(linux_system());
    CHECK(system.flush(kVa, 2) ==
          OsSystem::Texts{"flush-range 0x400000 pages=2", "invlpg 0x400000", "invlpg 0x401000"});
    CHECK(made(system.flush(kVa, 3, PageSize::k2M)) ==
          OsSystem::Texts{"invlpg 0x400000", "invlpg 0x600000", "invlpg 0x800000"});
    CHECK(made(system.flush(k1G, 2, PageSize::k1G)) ==
          OsSystem::Texts{"invlpg 0x40000000", "invlpg 0x80000000"});
}

TEST_CASE("Linux: a flush of no page executes nothing") {
    OsSystem system(linux_system());
    CHECK(made(system.flush(kVa, 0)).empty());
    CHECK(made(system.flush_kernel(kKernelVa, 0)).empty());
}

TEST_CASE("Linux: ranges at the ends of both halves") {
    OsSystem system(linux_system());
    CHECK(made(system.flush(0, 1)) == OsSystem::Texts{"invlpg 0x0"});
    CHECK(made(system.flush(0x7fff'ffff'f000, 1)) == OsSystem::Texts{"invlpg 0x7ffffffff000"});
    CHECK(made(system.flush_kernel(0xffff'8000'0000'0000, 1)) ==
          OsSystem::Texts{"invlpg 0xffff800000000000"});
    CHECK(made(system.flush_kernel(0xffff'ffff'ffff'f000, 1)) ==
          OsSystem::Texts{"invlpg 0xfffffffffffff000"});
    CHECK(made(system.flush(0, std::uint64_t{1} << 35)) == OsSystem::Texts{"mov-cr3"});
}

TEST_CASE("Linux: a range that no operating system flushes is refused") {
    OsSystem system(linux_system());
    const auto user = [&](std::uint64_t va, std::uint64_t pages, PageSize stride = PageSize::k4K) {
        return refusal([&] { system.flush(va, pages, stride); });
    };
    CHECK(user(0xffff'ffff'ffff'f000, 2) ==
          "a flush of 2 pages from 0xfffffffffffff000 on: it ends beyond the last address");
    CHECK(user(0, std::uint64_t{1} << 52) ==
          "a flush of 4503599627370496 pages from 0x0 on: it ends beyond the last address");
    CHECK(user(k1G, ~std::uint64_t{0}, PageSize::k1G) ==
          "a flush of 18446744073709551615 pages from 0x40000000 on: it ends beyond the last "
          "address");
    CHECK(user(0x7fff'ffff'f000, 2) ==
          "a flush of 2 pages from 0x7ffffffff000 on: not all of it is canonical");
    CHECK(user(kKernelVa, 1) ==
          "a flush of 1 pages from 0xffff888000000000 on: it is of the "
          "kernel's half and not marked 'kernel'");
    CHECK(refusal([&] { system.flush_kernel(kVa, 1); }) ==
          "a flush of 1 pages from 0x400000 on: it is marked 'kernel' and of the user's half");
    CHECK(
        refusal([&] {
            system.run(FlushRange{
                {.va = VirtAddr(kKernelVa), .pages = 1, .stride = PageSize::k2M, .kernel = true}});
        }) ==
        "a flush of 1 pages from 0xffff888000000000 on: stride=2M, where the kernel's half "
        "is flushed by 4K pages");
    system.idle();
    CHECK(user(kVa, 1) ==
          "a flush of 1 pages from 0x400000 on: a kernel thread runs, which has "
          "no addresses of a user; 'switch SPACE' first");
    CHECK(made(system.flush_kernel(kKernelVa, 1)).size() == 1);
}

TEST_CASE("Linux: the kernel's half is flushed by INVLPG up to the ceiling") {
    OsSystem system(linux_system());
    const OsSystem::Texts texts = made(system.flush_kernel(kKernelVa, 33));
    CHECK(texts.size() == 33);
    CHECK(count(texts, "invlpg 0xffff8880000") == 33);
}

TEST_CASE("Linux: above the ceiling the kernel's half is flushed by INVPCID 2 or two CR4 writes") {
    CHECK(made(OsSystem(linux_system()).flush_kernel(kKernelVa, 34)) ==
          OsSystem::Texts{"invpcid all-global"});
    OsSystem old(linux_system(), without_invpcid());
    CHECK(made(old.flush_kernel(kKernelVa, 34)) ==
          OsSystem::Texts{"mov-cr4 pge=0", "mov-cr4 pge=1"});
    old.run(MovCr4{{.clear = flags({ControlFlag::kPge})}});
    CHECK(made(old.flush_kernel(kKernelVa, 34)) ==
          OsSystem::Texts{"mov-cr4 pge=1", "mov-cr4 pge=0"});
}

TEST_CASE("Linux: without isolation kernel pages are global and one INVLPG reaches every PCID") {
    OsSystem system(linux_system());
    system.declare({"a"});
    system.load(kKernelVa, Privilege::kKernel);
    system.switch_to("a");
    CHECK(system.hits(kKernelVa, Privilege::kKernel));  // the same table, the same global entry
    system.flush_kernel(kKernelVa, 1);
    system.switch_to("s0");
    CHECK_FALSE(system.hits(kKernelVa, Privilege::kKernel));
}

TEST_CASE("Linux: what a whole flush leaves alone") {
    OsSystem system(linux_system());
    system.declare({"a"});
    system.load(kVa);
    system.switch_to("a");
    system.load(kVa);
    system.load(kKernelVa, Privilege::kKernel);
    system.flush(kVa, 34);
    CHECK(system.hits(kKernelVa, Privilege::kKernel));
    CHECK_FALSE(system.hits(kVa));
    system.switch_to("s0");
    CHECK(system.hits(kVa));
}
