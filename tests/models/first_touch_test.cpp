// Pages that nothing has mapped yet are mapped by their first access, before its walk, with the
// sizes that the system gives; a page that a record unmapped faults instead.

#include "tests/models/test_system.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

constexpr std::uint64_t kA = 0x40'0000'0000;
constexpr std::uint64_t kGpa = 0x8000'0000;

SystemParameters with_hole(std::uint64_t at, std::uint64_t bytes = k4K) {
    SystemParameters parameters = nested_system(PageSize::k4K, PageSize::k2M);
    parameters.host.holes = {{at, bytes}};
    return parameters;
}

/// Level of the host leaf behind a guest page mapped to `gpa`, seen by the size of a 1G guest
/// page's piece.
int host_level_at(const SystemParameters& parameters, std::uint64_t gpa) {
    TestSystem system(exact_machine(), parameters);
    system.map_to(kA, kGpa & ~(k1G - 1), PageSize::k1G);
    system.load(kA + (gpa & (k1G - 1)));
    return system.last().page_level;
}

}  // namespace

TEST_CASE("first touch: it costs no fault, drops nothing, and is not counted as an operation") {
    TestSystem system(exact_machine());
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.last().dropped == Dropped{});
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("first touch: pages get frames of their own") {
    TestSystem system(exact_machine(), nested_system());
    system.load(kA);
    const std::uint64_t first = system.last().physical;
    system.load(kA + k4K);
    CHECK(system.last().physical != first);
}

TEST_CASE("first touch: regions give the page size, pages already there limit it") {
    SystemParameters parameters;
    parameters.guest.regions = {{kA, k1G, PageSize::k2M}, {kA + k512G, k512G, PageSize::k1G}};
    TestSystem system(exact_machine(), parameters);
    const auto level = [&](std::uint64_t va) {
        system.load(va);
        return int{system.last().page_level};
    };
    CHECK(level(kA) == 2);
    CHECK(level(kA + k1G) == 1);
    CHECK(level(kA + k512G) == 3);
    system.map(kA + k2M);  // a 4K page
    CHECK(level(kA + k2M + k4K) == 1);
    CHECK(level(kA + 2 * k2M) == 2);
}

TEST_CASE("first touch: a page that was unmapped faults, and so does any with demand off") {
    TestSystem system(exact_machine());
    system.unmap(kA);
    CHECK(system.load(kA) == "page-fault");
    CHECK(system.load(kA) == "page-fault");
    CHECK(system.load(kA + k4K) == "miss, 4 reads");
    system.map(kA);
    CHECK(system.load(kA) == "miss, 1 read");

    TestSystem off(exact_machine(), {.demand = Demand::kFault});
    CHECK(off.load(kA) == "page-fault");
    off.map(kA);
    CHECK(off.load(kA) == "miss, 4 reads");
}

TEST_CASE("first touch: with demand off the host still backs what the guest maps") {
    SystemParameters parameters = nested_system();
    parameters.demand = Demand::kFault;
    TestSystem system(exact_machine(), parameters);
    CHECK(system.load(kA) == "page-fault");
    system.map(kA);
    CHECK(system.load(kA).substr(0, 4) == "miss");
}

TEST_CASE("first touch: a 4K hole makes the 2M region around it 4K, and no other") {
    CHECK(host_level_at(with_hole(kGpa + 0x5000), kGpa + 0x5000) == 1);
    CHECK(host_level_at(with_hole(kGpa + 0x5000), kGpa) == 1);
    CHECK(host_level_at(with_hole(kGpa + 0x5000), kGpa + k2M - k4K) == 1);
    CHECK(host_level_at(with_hole(kGpa + 0x5000), kGpa + k2M) == 2);
    CHECK(host_level_at(with_hole(kGpa + 0x5000), kGpa - k2M + k1G) == 2);
    // A hole that begins below a region and reaches into it.
    CHECK(host_level_at(with_hole(kGpa + k2M - k4K, 2 * k4K), kGpa + k2M) == 1);
    CHECK(host_level_at(with_hole(kGpa + k2M - k4K, k4K), kGpa + k2M) == 2);
}

TEST_CASE("first touch: user accesses get user pages, the kernel's upper half its own") {
    TestSystem system(exact_machine());
    const std::uint64_t upper = 0xffff'8000'0000'0000;
    system.load(upper, Privilege::kKernel);
    CHECK(system.load(upper) == "page-fault");
    system.load(kA, Privilege::kKernel);
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("first touch: global where the system says so") {
    TestSystem system(exact_machine(), {.guest = {.global = true}});
    system.load(kA);
    system.reload_cr3();
    CHECK(system.load(kA) == "hit");
}

TEST_CASE("CR0.PG=0: an unrestricted guest's linear addresses are guest-physical (T55)") {
    for (const PageSize host : {PageSize::k4K, PageSize::k2M}) {
        SystemParameters parameters = nested_system(PageSize::k4K, host);
        parameters.initial_cr4.clear = flags({ControlFlag::kPg});
        TestSystem system(exact_machine(), parameters);
        const std::size_t host_reads = host == PageSize::k4K ? 4 : 3;
        CHECK(system.load(kA + 0x123) ==
              "miss, " + std::to_string(host_reads) + " reads");  // no guest entry
        CHECK(system.last().reads_of(Dimension::kGuest) == 0);
        CHECK(system.last().page_level == leaf_level(host));
        CHECK_FALSE(system.last().fractured_fill);
        CHECK(system.load(kA) == "hit");
        CHECK(system.array("dtlb").size() == 1);  // a combined translation
        CHECK(system.array("psc").size() == 0);   // no combined paging-structure entry
    }
}

TEST_CASE("CR0.PG=1: pages touched before paging was on are mapped when they are walked for") {
    SystemParameters parameters = nested_system();
    parameters.initial_cr4.clear = flags({ControlFlag::kPg});
    TestSystem system(exact_machine(), parameters);
    system.load(kA);
    system.apply(MovCr0{{.set = flags({ControlFlag::kPg})}});
    CHECK(system.load(kA) == "hit, stale");  // setting PG drops nothing (O14)
    system.invlpg(kA);
    CHECK(system.load(kA).substr(0, 4) == "miss");
}

TEST_CASE("CR0.PG=0: natively linear addresses are physical, and nothing is cached") {
    SystemParameters parameters;
    parameters.initial_cr4.clear = flags({ControlFlag::kPg});
    TestSystem system(exact_machine(), parameters);
    CHECK(system.load(kA) == "no translation");
    CHECK(system.last().physical == kA);
    CHECK(system.array("dtlb").size() == 0);
}

TEST_CASE("first touch: guests on the same host table, on two vCPUs, each map their own pages") {
    SystemParameters parameters = nested_system();
    parameters.vcpus = 2;
    TestSystem system(exact_machine(), parameters);
    system.apply(DeclareVm{.name = "vm1", .vpid = Vpid(2), .eptp = "e0"});
    system.apply(SelectCpu{1});
    system.vm_exit();
    system.apply(VmEntry{.vm = "vm1"});
    system.apply(SelectCpu{0});
    system.load(kA);
    system.apply(SelectCpu{1});
    CHECK(system.load(kA).substr(0, 4) == "miss");
}

// The hypervisor mirrors the guest's tables; the hardware walks its mirror.
TEST_CASE("shadow paging: a walk is native, over leaves of the smaller size") {
    SystemParameters parameters = nested_system(PageSize::k2M, PageSize::k2M);
    parameters.paging = Paging::kShadow;
    TestSystem large(exact_machine(), parameters);
    CHECK(large.load(kA) == "miss, 3 reads");
    CHECK(large.last().page_level == 2);
    parameters.host.page_size = PageSize::k4K;
    TestSystem small(exact_machine(), parameters);
    CHECK(small.load(kA) == "miss, 4 reads");
    CHECK(small.load(kA + k4K) == "miss, 1 read");
}

TEST_CASE(
    "shadow paging: changes of the guest's tables reach the shadow, caches keep what they had") {
    SystemParameters parameters = nested_system();
    parameters.paging = Paging::kShadow;
    TestSystem system(exact_machine(), parameters);
    system.map(kA);
    system.load(kA);
    const std::uint64_t before = system.last().physical;
    system.map(kA);  // another frame
    CHECK(system.load(kA) == "hit, stale");
    CHECK(system.last().physical == before);
    system.invlpg(kA);
    CHECK(system.load(kA) == "miss, 4 reads");
    CHECK(system.last().physical != before);
    system.unmap(kA);
    system.invlpg(kA);
    CHECK(system.load(kA) == "page-fault");
    system.map(kA);
    CHECK(system.load(kA) == "miss, 4 reads");
    system.edit(kA, {.writable = false});
    CHECK(system.store(kA) == "hit, stale rights");
    system.invlpg(kA);
    CHECK(system.store(kA) == "page-fault");
}
