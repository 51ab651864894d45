// Rights are kept in an entry as the tables gave them and judged at each use, so that a change of
// CR0.WP, CR4.SMEP, CR4.SMAP or EFER.NXE needs no flush. SDM "Access Rights" gives the rules.

#include "tests/models/test_system.h"

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr Privilege kKernel = Privilege::kKernel;
constexpr std::uint64_t kUserPage = 0x1000, kKernelPage = 0x2000, kReadOnly = 0x3000,
                        kNoExecute = 0x4000, kKernelReadOnly = 0x5000;

/// One page of each kind, all cached on both sides where they may be.
struct Pages {
    Pages() {
        map(kUserPage, {.user = true});
        map(kKernelPage, {});
        map(kReadOnly, {.read_only = true, .user = true});
        map(kNoExecute, {.user = true, .no_execute = true});
        map(kKernelReadOnly, {.read_only = true});
        for (const std::uint64_t page :
             {kUserPage, kKernelPage, kReadOnly, kNoExecute, kKernelReadOnly}) {
            system.load(page, kKernel);
        }
        for (const std::uint64_t page : {kUserPage, kKernelPage, kReadOnly}) {
            system.fetch(page, kKernel);
        }
    }
    void map(std::uint64_t va, Map flags) {
        flags.va = VirtAddr(va);
        flags.size = PageSize::k4K;
        system.apply(flags);
    }

    TestSystem system{exact_machine()};
};

void write_cr0_wp(TestSystem& system, bool on) {
    const ControlFlags wp = flags({ControlFlag::kWp});
    system.apply(MovCr0{on ? ControlWrite{.set = wp} : ControlWrite{.clear = wp}});
}
void write_nxe(TestSystem& system, bool on) {
    const ControlFlags nxe = flags({ControlFlag::kNxe});
    system.apply(WrmsrEfer{on ? ControlWrite{.set = nxe} : ControlWrite{.clear = nxe}});
}

}  // namespace

TEST_CASE(
    "rights: a user access needs a user page, a store a writable one, a fetch an executable one") {
    Pages pages;
    CHECK(pages.system.load(kUserPage) == "hit");
    CHECK(pages.system.store(kUserPage) == "hit");
    CHECK(pages.system.fetch(kUserPage) == "hit");
    CHECK(pages.system.load(kKernelPage) == "page-fault");
    CHECK(pages.system.last().fault.present);
    CHECK(pages.system.load(kReadOnly) == "hit");
    CHECK(pages.system.store(kReadOnly) == "page-fault");
    CHECK(pages.system.load(kNoExecute) == "hit");
    CHECK(pages.system.fetch(kNoExecute) == "page-fault");
}

TEST_CASE("rights: the kernel may read any page") {
    Pages pages;
    for (const std::uint64_t page : {kUserPage, kKernelPage, kReadOnly, kKernelReadOnly}) {
        CHECK(pages.system.load(page, kKernel) == "hit");
    }
}

TEST_CASE("rights: CR0.WP decides whether the kernel may write read-only pages (T20)") {
    Pages pages;
    write_cr0_wp(pages.system, false);
    CHECK(pages.system.last().dropped == Dropped{});
    CHECK(pages.system.store(kKernelReadOnly, kKernel) == "hit");
    CHECK(pages.system.store(kReadOnly, kKernel) == "hit");
    CHECK(pages.system.store(kReadOnly) == "page-fault");  // user stores never may
    pages.system.load(kReadOnly);
    write_cr0_wp(pages.system, true);
    CHECK(pages.system.last().dropped == Dropped{});
    CHECK(pages.system.store(kKernelReadOnly, kKernel) == "page-fault");
    CHECK(pages.system.store(kReadOnly, kKernel) == "page-fault");
}

TEST_CASE("rights: CR4.SMAP keeps the kernel from user data, and not from user code") {
    Pages pages;
    CHECK(pages.system.load(kUserPage, kKernel) == "hit");
    pages.system.set_cr4(ControlFlag::kSmap);
    CHECK(pages.system.last().dropped == Dropped{});
    CHECK(pages.system.load(kUserPage) == "hit");
    CHECK(pages.system.fetch(kUserPage, kKernel) == "hit");
    CHECK(pages.system.load(kUserPage, kKernel) == "page-fault");
    CHECK(pages.system.store(kUserPage, kKernel) == "page-fault");
    CHECK(pages.system.load(kKernelPage, kKernel) == "hit");
    pages.system.clear_cr4(ControlFlag::kSmap);
    CHECK(pages.system.load(kUserPage, kKernel) == "miss, 4 reads");
}

TEST_CASE("rights: CR4.SMEP keeps the kernel from user code, and flushes when it is set (T19)") {
    Pages pages;
    CHECK(pages.system.fetch(kUserPage, kKernel) == "hit");
    pages.system.set_cr4(ControlFlag::kSmep);
    CHECK(pages.system.last().dropped.translations > 0);
    CHECK(pages.system.fetch(kUserPage, kKernel) == "page-fault");
    CHECK(pages.system.fetch(kUserPage) == "miss, 4 reads");
    CHECK(pages.system.load(kUserPage, kKernel) == "STLB hit");
    CHECK(pages.system.fetch(kUserPage, kKernel) == "page-fault");
    CHECK(pages.system.fetch(kKernelPage, kKernel) == "miss, 4 reads");  // #PF took the shared path
    pages.system.clear_cr4(ControlFlag::kSmep);
    CHECK(pages.system.last().dropped == Dropped{});
    CHECK(pages.system.fetch(kKernelPage, kKernel) == "hit");
}

TEST_CASE("rights: EFER.NXE=0 lets code run from pages cached with XD (T35)") {
    Pages pages;
    write_nxe(pages.system, false);
    CHECK(pages.system.last().dropped == Dropped{});
    CHECK(pages.system.load(kUserPage) == "hit");
    // A fresh walk would find bit 63 reserved.
    CHECK(pages.system.load(kNoExecute) == "hit, stale");
    pages.system.invlpg(kNoExecute);
    CHECK(pages.system.load(kNoExecute) == "page-fault");
    CHECK(pages.system.last().fault.reserved);
    write_nxe(pages.system, true);
    CHECK(pages.system.load(kNoExecute) == "miss, 4 reads");
}

TEST_CASE("rights: AMD drops everything when EFER.NXE changes") {
    TestSystem system(exact_amd_machine());
    system.load(0x1000);
    write_nxe(system, false);
    CHECK(system.load(0x1000) == "miss, 4 reads");
    write_nxe(system, false);  // no change
    CHECK(system.load(0x1000) == "hit");
}

TEST_CASE("rights: those of all levels count") {
    struct Case {
        EntryEdit edit;
        AccessKind refused;
    };
    for (int level = 1; level <= 4; ++level) {
        const Case cases[] = {{{.level = level, .writable = false}, AccessKind::kStore},
                              {{.level = level, .user = false}, AccessKind::kLoad},
                              {{.level = level, .no_execute = true}, AccessKind::kFetch}};
        for (const Case& one : cases) {
            TestSystem system(exact_machine());
            system.map(0x1000);
            system.edit(0x1000, one.edit);
            CHECK(system.access(one.refused, 0x1000, Privilege::kUser) == "page-fault");
            CHECK(system.last().fault.present);
        }
    }
}

TEST_CASE(
    "rights: a fault drops the page and the entries that lead to it, and nothing else (O22)") {
    TestSystem system(exact_machine());
    system.map(0x1000);
    system.apply(
        Map{.va = VirtAddr(0x2000), .size = PageSize::k4K, .read_only = true, .user = true});
    system.load(0x1000);
    system.load(0x2000);
    system.load(k1G);
    CHECK(system.store(0x2000) == "page-fault");
    CHECK(system.load(0x1000) == "hit");
    CHECK(system.load(k1G) == "hit");
    system.evict(k1G);
    CHECK(system.load(k1G) == "miss, 1 read");      // its PDE is still there
    CHECK(system.load(0x2000) == "miss, 4 reads");  // all entries on its path went
}
