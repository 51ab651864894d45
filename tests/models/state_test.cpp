// State as plain values: equal histories give equal states, a loop comes back to one, and the
// digest that is kept as things change tells states apart and never tells equal ones apart.

#include "tests/models/test_system.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace nestwalk;
using namespace nestwalk::test;

namespace {

/// Small enough that 50 pages overflow every level.
MachineParameters small_machine(ReplacementPolicy policy) {
    const auto array = [&](const char* name, std::uint32_t entries, std::uint32_t ways,
                           std::vector<Holding> holds) {
        return StructureParameters{.name = name,
                                   .entries = entries,
                                   .ways = ways,
                                   .replacement = policy,
                                   .holds = std::move(holds)};
    };
    const std::uint32_t ways = policy == ReplacementPolicy::kMru3Plru4 ? 12 : 4;
    MachineParameters machine{.name = "small"};
    machine.l1_dtlb = {array("dtlb", ways, ways, held(MappingClass::kTranslation, {1, 2, 3}))};
    machine.stlb = {array("stlb", 2 * ways, ways, held(MappingClass::kTranslation, {1, 2}))};
    machine.paging_structure_caches = {
        array("psc", ways, ways, held(MappingClass::kPagingStructure, {2, 3, 4}))};
    machine.nested_tlb = {array("ntlb", ways, ways, held(MappingClass::kNestedTranslation, {1}))};
    return machine;
}

/// Some of everything that changes state.
void drive(TestSystem& system) {
    use_two_pcids(system);
    for (std::uint64_t page = 0; page < 20; ++page) {
        system.load(page * 5 * k4K);
        system.store(page * 3 * k4K);
        if (page % 4 == 0) system.invlpg(page * 5 * k4K);
        if (page % 7 == 0) system.keep_and_load(page % 2 == 0 ? "p1" : "p2");
    }
    system.unmap(0);
    system.map(k1G, PageSize::k2M);
    system.load(k1G);
}

void flush_and_touch_50_pages(TestSystem& system) {
    system.invlpg(0x50f'9000);
    for (std::uint64_t page = 0; page < 50; ++page) system.load(0x40'0000 + page * k4K);
}

constexpr ReplacementPolicy kPolicies[] = {
    ReplacementPolicy::kTrueLru, ReplacementPolicy::kTreePlru, ReplacementPolicy::kMru3Plru4,
    ReplacementPolicy::kNru, ReplacementPolicy::kSrrip};

}  // namespace

TEST_CASE("state: two systems that are driven alike are equal and have equal digests") {
    for (const Paging paging : {Paging::kNative, Paging::kNested, Paging::kShadow}) {
        for (const ReplacementPolicy policy : kPolicies) {
            SystemParameters parameters;
            parameters.paging = paging;
            TestSystem first(small_machine(policy), parameters);
            TestSystem second(small_machine(policy), parameters);
            drive(first);
            drive(second);
            CHECK(first.state() == second.state());
            CHECK(first.digest() == second.digest());
        }
    }
}

// What a digest is asked for in between must not show in it: first keeps its own up to date at
// every step, second works it out once, from a state that was never asked.
TEST_CASE("state: a digest kept up to date equals one worked out at the end") {
    for (const ReplacementPolicy policy :
         {ReplacementPolicy::kTrueLru, ReplacementPolicy::kTreePlru, ReplacementPolicy::kNru,
          ReplacementPolicy::kSrrip, ReplacementPolicy::kRandom}) {
        TestSystem first(small_machine(policy), nested_system());
        TestSystem second(small_machine(policy), nested_system());
        for (std::uint64_t step = 0; step < 200; ++step) {
            const std::uint64_t va = (step * step % 37) * k4K;
            for (TestSystem* system : {&first, &second}) {
                system->load(va);
                if (step % 11 == 0) system->invlpg(va);
                if (step % 53 == 0) system->reload_cr3();
            }
            first.digest();
        }
        const SystemState copy = second.state();
        CHECK(first.digest() == second.digest());
        CHECK(SystemState(copy).digest() == first.digest());
        CHECK(copy == first.state());
    }
}

TEST_CASE("state: a loop of a flush and 50 accesses comes back to an earlier state") {
    for (const ReplacementPolicy policy : kPolicies) {
        for (const Paging paging : {Paging::kNative, Paging::kNested, Paging::kShadow}) {
            SystemParameters parameters;
            parameters.paging = paging;
            TestSystem system(small_machine(policy), parameters);
            bool came_back = false;
            std::vector<SystemState> boundaries;
            for (int iteration = 0; iteration < 16 && !came_back; ++iteration) {
                flush_and_touch_50_pages(system);
                for (SystemState& earlier : boundaries) {
                    const bool equal = earlier == system.state();
                    CHECK(equal == (earlier.digest() == system.digest()));
                    came_back = came_back || equal;
                }
                boundaries.push_back(system.state());
            }
            CHECK(came_back);
        }
    }
}

TEST_CASE("state: what decides later behaviour changes state and digest") {
    using Change = void (*)(TestSystem&);
    const std::vector<Change> changes{
        [](TestSystem& system) { system.load(0x1000); },    // an L1 hit: recency alone
        [](TestSystem& system) { system.load(0x9000); },    // a fill
        [](TestSystem& system) { system.invlpg(0x1000); },  // a drop
        [](TestSystem& system) { system.map(0x9000); },     // page tables, frames
        [](TestSystem& system) { system.edit(0x1000, {.dirty = false}); },
        [](TestSystem& system) { system.set_cr4(ControlFlag::kSmap); },
        [](TestSystem& system) { system.clear_cr4(ControlFlag::kPge); },
        [](TestSystem& system) {
            system.apply(DeclareSpace{"other", {}});
        },
        [](TestSystem& system) { system.vm_exit(); },
    };
    for (const Change change : changes) {
        TestSystem system(small_machine(ReplacementPolicy::kTrueLru), nested_system());
        system.load(0x1000);
        system.load(0x2000);
        const SystemState before = system.state();
        const std::uint64_t digest = system.digest();
        change(system);
        CHECK_FALSE(before == system.state());
        CHECK(digest != system.digest());
    }
}

TEST_CASE("state: an operation that drops nothing leaves the state alone") {
    TestSystem system(exact_machine());
    system.load(0x1000);
    const SystemState before = system.state();
    const std::uint64_t digest = system.digest();
    system.load(0x1000);                    // a hit, where order of use leaves no trace
    system.invlpg(std::uint64_t{1} << 47);  // non-canonical: no operation
    system.load(std::uint64_t{1} << 47);
    CHECK(system.last().fault.kind == FaultKind::kGeneralProtection);
    CHECK(before == system.state());
    CHECK(digest == system.digest());
}

// One fill, into the way that is the most recent one from the start.
TEST_CASE("state: an array that was used and emptied equals one that never was") {
    for (const ReplacementPolicy policy :
         {ReplacementPolicy::kTrueLru, ReplacementPolicy::kRandom}) {
        MachineParameters machine = small_machine(policy);
        machine.stlb.clear();
        machine.paging_structure_caches.clear();
        TestSystem used(machine), fresh(machine);
        for (TestSystem* system : {&used, &fresh}) system->map_to(0x1000, 0x9000);
        used.load(0x1000);
        used.reload_cr3();
        CHECK(used.state() == fresh.state());
        CHECK(used.digest() == fresh.digest());
    }
}

// The first walk of A fills it as access 1, in the other system as access 3.
TEST_CASE("state: who filled an entry and when it was verified are no part of the state") {
    TestSystem early(exact_machine()), late(exact_machine());
    for (TestSystem* system : {&early, &late}) {
        for (const std::uint64_t page : {0x1000u, 0x2000u}) system->map_to(page, page + k1G);
    }
    early.load(0x1000);
    early.load(0x2000);
    late.load(0x2000);
    late.load(0x2000);
    late.load(0x1000);
    CHECK(early.load(0x1000) == "hit");
    CHECK(late.load(0x1000) == "hit");
    CHECK(early.last().filled_by.sequence() == 1);
    CHECK(late.last().filled_by.sequence() == 3);
    // A table write that changes nothing makes entries unverified in one of them.
    early.edit(0x1000, {.present = true});
    CHECK(early.state() == late.state());
    CHECK(early.digest() == late.digest());
}

TEST_CASE("state: a copy is not touched by what happens later") {
    TestSystem system(small_machine(ReplacementPolicy::kTrueLru));
    system.load(0x1000);
    SystemState copy = system.state();
    const std::uint64_t digest = copy.digest();
    system.store(k1G);
    system.unmap(0x1000);
    CHECK(copy.digest() == digest);
    CHECK_FALSE(copy == system.state());
}
