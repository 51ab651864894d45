// What vectors cannot say in a trace: entries that no program could leave behind, frames, the bits
// of an exit qualification, the order of reads. Named by the ids of the vectors.
#include "models/invalidation.h"
#include "models/mmu.h"
#include "tests/models/test_system.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

/// Pages that nobody has to map: the tests map what they use.
class NoSupply final : public PageSupplier {
    void supply(VirtAddr, Privilege) override {}
};

/// A core that translates under regimes of the test's choice, whatever transitions lead from one to
/// another.
class Core {
public:
    explicit Core(const MachineParameters& machine) : mmu_(machine) {}

    Outcome load(const Regime& regime, std::uint64_t va) {
        Outcome outcome;
        mmu_.translate({.va = VirtAddr(va)}, regime, supply_, outcome);
        return outcome;
    }
    bool hits(const Regime& regime, std::uint64_t va) {
        return load(regime, va).result == TranslationResult::kL1Hit;
    }
    void apply(const FlushPlan& plan) {
        Outcome outcome;
        for (const Selection& selection : plan.selections) mmu_.drop(selection, outcome);
    }

private:
    Mmu mmu_;
    NoSupply supply_{};
};

/// Regimes of a system in which the host and a guest have run: 0x1000 to 0x3000 are mapped in both.
struct Regimes {
    explicit Regimes(SystemParameters parameters) : system(exact_machine(), parameters) {
        for (std::uint64_t va = 0x1000; va < 0x4000; va += k4K) system.load(va);
        guest = system.system().regime();
        system.vm_exit();
        for (std::uint64_t va = 0x1000; va < 0x4000; va += k4K) system.load(va);
        root = system.system().regime();
    }

    TestSystem system;
    Regime guest{};
    Regime root{};
};

SystemParameters without_vpid() {
    SystemParameters parameters = nested_system();
    parameters.vpid = false;
    return parameters;
}

std::string order(const Outcome& outcome) {
    std::string text;
    for (const EntryRead& read : outcome.reads) {
        text +=
            (read.dimension == Dimension::kGuest ? 'g' : 'h') + std::to_string(read.level) + ' ';
    }
    return text;
}

TEST_SUITE("vectors beyond traces") {
    // SDM "Operations that Invalidate Cached Mappings": combined mappings too while EPT is not in
    // use.
    TEST_CASE("T54: the host's MOV CR3 drops combined mappings of VPID 0, under whatever EP4TA") {
        Regimes regimes(without_vpid());
        Regime other_root = regimes.guest;
        other_root.ep4ta = Ep4ta(regimes.guest.ep4ta.value() + 1);
        Core core(exact_machine());
        core.load(regimes.guest, 0x1000);
        core.load(other_root, 0x1000);
        REQUIRE(core.hits(regimes.guest, 0x1000));
        REQUIRE(core.hits(other_root, 0x1000));
        core.apply(mov_cr3_drops(regimes.root, Pcid(0)));
        CHECK(core.load(regimes.guest, 0x1000).start_level == kFromRoot);
        CHECK(core.load(other_root, 0x1000).start_level == kFromRoot);
    }

    TEST_CASE("T54: the same for the host's INVLPG, which leaves other pages") {
        Regimes regimes(without_vpid());
        Core core(exact_machine());
        core.load(regimes.guest, 0x1000);
        core.load(regimes.guest, 0x2000);
        core.apply(invlpg_drops(regimes.root, VirtAddr(0x1000)));
        CHECK(core.hits(regimes.guest, 0x2000));
        CHECK_FALSE(core.hits(regimes.guest, 0x1000));
    }

    // The other way round: linear mappings of the current VPID while EPT is in use.
    TEST_CASE(
        "T54: a guest's MOV CR3 under EPT drops linear mappings of its VPID, and of no other") {
        Regimes regimes(nested_system());
        Regime linear = regimes.root;
        linear.context = regimes.guest.context;
        Core core(exact_machine());
        core.load(linear, 0x1000);
        core.load(regimes.root, 0x1000);
        core.apply(mov_cr3_drops(regimes.guest, Pcid(0)));
        CHECK_FALSE(core.hits(linear, 0x1000));
        CHECK(core.hits(regimes.root, 0x1000));
    }

    TEST_CASE("V8, V9: INVEPT leaves linear mappings of any VPID, V5: INVVPID takes both kinds") {
        Regimes regimes(nested_system());
        Regime linear = regimes.root;
        linear.context = regimes.guest.context;
        Core core(exact_machine());
        core.load(linear, 0x1000);
        core.load(regimes.guest, 0x1000);
        core.apply(invept_drops(InveptType::kAllContexts, Ep4ta(0)));
        CHECK(core.hits(linear, 0x1000));
        CHECK_FALSE(core.hits(regimes.guest, 0x1000));
        core.apply(
            invvpid_drops(InvvpidType::kSingleContext, Vpid(regimes.guest.context), VirtAddr(0)));
        CHECK_FALSE(core.hits(linear, 0x1000));
        CHECK_FALSE(core.hits(regimes.guest, 0x1000));
    }

    TEST_CASE(
        "V1: a transition without VPIDs takes linear and combined mappings of VPID 0 and no "
        "other") {
        Regimes regimes(without_vpid());
        Regime tagged = regimes.guest;
        tagged.context = 5;
        Core core(exact_machine());
        core.load(regimes.root, 0x1000);
        core.load(regimes.guest, 0x1000);
        core.load(tagged, 0x1000);
        core.apply(vm_transition_drops());
        CHECK_FALSE(core.hits(regimes.root, 0x1000));
        CHECK_FALSE(core.hits(regimes.guest, 0x1000));
        CHECK(core.hits(tagged, 0x1000));
    }

    TEST_CASE("T23: the old frame before INVLPG, the new one after it") {
        TestSystem system(exact_machine());
        system.map_to(0x1000, 0x1'0000'1000);
        system.load(0x1008);
        CHECK(system.last().physical == 0x1'0000'1008);
        system.map_to(0x1000, 0x1'0000'2000);
        system.load(0x1008);
        CHECK(system.last().physical == 0x1'0000'1008);
        system.invlpg(0x1000);
        system.load(0x1008);
        CHECK(system.last().physical == 0x1'0000'2008);
    }

    TEST_CASE("T29: where a 4K and a 2M entry match, the frame is that of the smaller page") {
        TestSystem system(exact_machine());
        system.map_to(k1G, 0x1'0000'1000);
        system.load(k1G);
        system.edit(k1G, {.level = 2, .dirty = true, .large = true, .to = 2 * k1G});
        system.invlpg(k512G);
        system.load(k1G + k4K);
        CHECK(system.last().physical == 2 * k1G + k4K);
        CHECK(system.load(k1G) == "hit, stale, ambiguous");
        CHECK(system.last().physical == 0x1'0000'1000);
    }

    // SDM "Exit Qualification for EPT Violations": bit 0 read, bit 1 write, bit 8 clear: a guest's
    // table.
    TEST_CASE(
        "T56, T57: a refused update of A, and a read that counts as a write, set bits 0 and 1") {
        for (const bool accessed_dirty : {false, true}) {
            CAPTURE(accessed_dirty);
            SystemParameters parameters = nested_system();
            parameters.host.accessed_dirty = accessed_dirty;
            TestSystem system(exact_machine(), parameters);
            const std::uint64_t table = 0x6000'0000;
            system.map(0x1000);
            system.edit(0x1000, {.level = 2, .to = table});
            system.map(0x1000);
            if (!accessed_dirty) system.edit(0x1000, {.level = 1, .accessed = false});
            system.apply(HostProtect{.gpa = GuestPhysAddr(table), .read = true, .execute = true});
            CHECK(system.load(0x1000) == "ept-violation");
            const Fault& fault = system.last().fault;
            CHECK(fault.access == AccessKind::kLoad);
            CHECK(fault.for_entry_write);
            CHECK(fault.on_guest_table);
            CHECK(fault.gpa == GuestPhysAddr(table + 8));
            CHECK(fault.va == VirtAddr(0x1000));
        }
    }

    TEST_CASE("T59: the 24 reads of a walk of four levels through four levels, in order") {
        MachineParameters machine = walker({});
        TestSystem system(machine, nested_system());
        system.load(0x1000);
        CHECK(order(system.last()) ==
              "h4 h3 h2 h1 g4 h4 h3 h2 h1 g3 h4 h3 h2 h1 g2 h4 h3 h2 h1 g1 h4 h3 h2 h1 ");
    }
}

}  // namespace
}  // namespace nestwalk::test
