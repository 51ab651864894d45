// Programs on which the models once differed from the oracle, as rapidcheck or the soak shrank
// them. Each is run on both again.

#include "tests/properties/checker.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const Setting& setting_named(const std::string& name) {
    for (const Setting& setting : exact_settings()) {
        if (setting.name == name) return setting;
    }
    throw std::logic_error("no setting " + name);
}

void check_agreement(const std::string& setting, const std::vector<Operation>& program) {
    Checker checker(setting_named(setting));
    for (const Operation& operation : program) {
        const bool same = checker.step(operation);
        CHECK_MESSAGE(same, checker.difference());
        CHECK_FALSE(checker.skipped());
        if (!same) return;
    }
}

ControlWrite setting_flag(ControlFlag flag) {
    ControlWrite write;
    write.set.set(flag);
    return write;
}

ControlWrite clearing_flag(ControlFlag flag) {
    ControlWrite write;
    write.clear.set(flag);
    return write;
}

Access load(std::uint64_t va, Privilege privilege = Privilege::kKernel) {
    return {.kind = AccessKind::kLoad, .privilege = privilege, .va = VirtAddr(va)};
}

Access store(std::uint64_t va) {
    return {.kind = AccessKind::kStore, .privilege = Privilege::kKernel, .va = VirtAddr(va)};
}

TEST_CASE("regression: CR4.PCIDE cannot be set while CR0.PG is 0 (O7)") {
    check_agreement("nested", {MovCr4{clearing_flag(ControlFlag::kPcide)},
                               MovCr0{clearing_flag(ControlFlag::kPg)},
                               MovCr4{setting_flag(ControlFlag::kPcide)}, load(0x40'0000)});
}

TEST_CASE("regression: a dirty assist leaves another entry for the same address alone (F2)") {
    check_agreement(
        "native, A and D clear",
        {Map{.va = VirtAddr(0x40'1000), .to = 0x2020'0000, .global = true, .user = true},
         load(0x40'1000),
         Map{.va = VirtAddr(0), .size = PageSize::k1G, .to = 0x8000'0000, .user = true},
         load(0x60'6000), store(0x40'1018), load(0x60'0018)});
}

TEST_CASE("regression: an EPT entry that references a table has bits 6:3 clear (R5)") {
    check_agreement(
        "nested, host 2M",
        {VmExit{},
         Map{.va = VirtAddr(0x80'0040'0000),
             .size = PageSize::k2M,
             .to = 0x2000'0000,
             .global = true,
             .user = true},
         VmEntry{}, Vmfunc{"e1"}, load(0x40'8000),
         HostMap{.gpa = GuestPhysAddr(0), .size = PageSize::k1G, .to = PhysAddr(0x300'4000'0000)},
         VmExit{}, Split{VirtAddr(0x80'0040'0000), std::nullopt}, VmEntry{.vm = "vm1"},
         store(0x5f'f000)});
}

TEST_CASE("regression: stores and fetches through an NPT need U/S too (15.25.5)") {
    EntryEdit supervisor{.level = 3};
    supervisor.user = false;
    check_agreement(
        "AMD nested",
        {Map{.va = VirtAddr(0x40'0000), .size = PageSize::k2M, .to = 0x2000'0000, .user = true},
         load(0x5f'f008), HostSetEntry{GuestPhysAddr(0x4000'3000), supervisor},
         Map{.va = VirtAddr(0), .size = PageSize::k1G, .to = 0x4000'0000, .user = true},
         TogglePge{}, store(0x40'7000),
         Access{.kind = AccessKind::kFetch, .va = VirtAddr(0x40'7000)}});
}

TEST_CASE(
    "regression: a hit is ambiguous by the tags in force, not by the PCID its entry was made "
    "under") {
    check_agreement(
        "nested, host 2M",
        {VmExit{}, store(0x40'0000),
         Map{.va = VirtAddr(0x40'0000), .size = PageSize::k2M, .to = 0x2000'0000, .user = true},
         store(0x40'7000), MovCr3{"h1", true}, load(0x40'0000)});
}

TEST_CASE("regression: the answer of a dirty assist is that of its walk, stale or not") {
    EntryEdit clean{.level = 1};
    clean.dirty = false;
    check_agreement("native",
                    {SetEntry{VirtAddr(0x40'0000), clean, std::nullopt}, load(0x40'0000),
                     Map{.va = VirtAddr(0x40'0000), .to = 0x2000'1000, .user = true},
                     MovCr3{"s1", true}, MovCr3{"s0", true}, store(0x40'0000), load(0x40'0000)});
}

TEST_CASE("regression: host tables are found below an entry whose reserved bit software set") {
    EntryEdit reserved{.level = 3};
    reserved.reserved = true;
    check_agreement("nested, 5 levels on 5",
                    {Map{.va = VirtAddr(0x1'0000'0040'0000),
                         .size = PageSize::k2M,
                         .to = 0x4040'0000,
                         .space = "s2",
                         .user = true,
                         .no_execute = true},
                     MovCr3{"s2", true}, load(0x1'0000'0040'0000),
                     HostMap{.gpa = GuestPhysAddr(0x4040'0000),
                             .size = PageSize::k2M,
                             .to = PhysAddr(0x300'0000'0000)},
                     HostSetEntry{GuestPhysAddr(0x4000'3000), reserved},
                     Access{.kind = AccessKind::kStore, .va = VirtAddr(0x1'0000'0040'7000)}});
}

}  // namespace
}  // namespace nestwalk::test
