// Walks through memory that is somebody else's: each entry is read where it is in host-physical
// memory, once, and written back where the walk sets A or D.
#include "models/entry_memory.h"
#include "tests/models/hand_built_tables.h"

#include <cstdint>
#include <map>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

class Memory final : public EntryMemory {
public:
    std::uint64_t read(PhysAddr location) override {
        read_at.push_back(location.value());
        return entries[location.value()];
    }
    void write(PhysAddr location, std::uint64_t raw) override { entries[location.value()] = raw; }

    std::map<std::uint64_t, std::uint64_t> entries{};
    std::vector<std::uint64_t> read_at{};
};

Regime native_regime(Memory& memory) {
    Regime regime;
    regime.flags = flags({ControlFlag::kPg, ControlFlag::kWp, ControlFlag::kNxe});
    regime.linear = {0x1000, 4, EntryFormat::kOrdinary};
    regime.entries = &memory;
    regime.generation = 1;
    return regime;
}

Outcome translate(Mmu& mmu, const Regime& regime, AccessKind kind, std::uint64_t va) {
    NoSupplier nobody;
    Outcome outcome;
    mmu.translate({.va = VirtAddr(va), .kind = kind}, regime, nobody, outcome);
    return outcome;
}

TEST_SUITE("entry memory") {
    TEST_CASE("a walk reads the entries of a platform's memory and sets A and D there") {
        Memory memory;
        memory.entries = {{0x1008, 0x2000 | kP | kRw | kUs},
                          {0x2010, 0x3000 | kP | kRw | kUs},
                          {0x3018, 0x4000 | kP | kRw | kUs},
                          {0x4020, 0x9000 | kP | kRw | kUs}};
        const Regime regime = native_regime(memory);
        Mmu mmu(exact_machine());
        const std::uint64_t va = 1ull << 39 | 2ull << 30 | 3ull << 21 | 4ull << 12 | 0x123;

        CHECK(translate(mmu, regime, AccessKind::kStore, va).physical == 0x9123);
        CHECK(memory.read_at == std::vector<std::uint64_t>{0x1008, 0x2010, 0x3018, 0x4020});
        CHECK(memory.entries[0x1008] == (0x2000 | kP | kRw | kUs | kA));
        CHECK(memory.entries[0x4020] == (0x9000 | kP | kRw | kUs | kA | kD));

        memory.read_at.clear();
        CHECK(phrase(translate(mmu, regime, AccessKind::kLoad, va)) == "hit");
        CHECK(memory.read_at.empty());
        CHECK(phrase(translate(mmu, regime, AccessKind::kLoad, va + k4K)) == "page-fault");
    }

    TEST_CASE("a nested walk reads a guest's entries where the host put them") {
        // Guest-physical X is host-physical X + 16 MiB.
        const std::uint64_t offset = 1 << 24;
        Memory memory;
        memory.entries = {{offset + 0x1000, 0x2000 | kP | kUs | kA},
                          {offset + 0x2000, 0x3000 | kP | kUs | kA},
                          {offset + 0x3000, kP | kUs | kA | kPs},  // 2 MiB at guest-physical 0
                          {0x5000, 0x6000 | kEptRwx},
                          {0x6000, 0x7000 | kEptRwx},
                          {0x7000, offset | kEptRwx | kPs}};
        Regime regime = native_regime(memory);
        regime.nested = true;
        regime.host = {0x5000, 4, EntryFormat::kEpt};
        Mmu mmu(walker({}));
        const Outcome outcome = translate(mmu, regime, AccessKind::kLoad, 0x1234);
        CHECK(outcome.physical == offset + 0x1234);
        CHECK(outcome.reads_of(Dimension::kGuest) == 3);
        CHECK(outcome.reads_of(Dimension::kHost) == 3 * 4);
        const std::vector<std::uint64_t> host{0x5000, 0x6000, 0x7000};
        std::vector<std::uint64_t> expected;
        for (const std::uint64_t guest : {0x1000u, 0x2000u, 0x3000u}) {
            expected.insert(expected.end(), host.begin(), host.end());
            expected.push_back(offset + guest);
        }
        expected.insert(expected.end(), host.begin(), host.end());
        CHECK(memory.read_at == expected);
    }
}

}  // namespace
}  // namespace nestwalk::test
