#pragma once

// Paging structures written entry by entry at addresses that the test chooses, and translation
// hardware that walks them: no page-table editor and no first touch between a claim and its
// numbers. In the host dimension, guest-physical address X lies at host-physical X + kHostOffset.

#include "models/mmu.h"
#include "tests/models/machines.h"
#include "tests/models/test_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nestwalk::test {

inline constexpr std::uint64_t kHostOffset = std::uint64_t{1} << 44;
inline constexpr std::uint64_t kHostTables = std::uint64_t{1} << 45;

/// Bits of entries, as the manuals' figures have them.
inline constexpr std::uint64_t kP = 1, kRw = 2, kUs = 4, kA = 1 << 5, kD = 1 << 6, kPs = 1 << 7;
inline constexpr std::uint64_t kEptRwx = 7, kEptA = 1 << 8, kEptD = 1 << 9;

struct Levels {
    int guest{4};
    int host{4};
};

class NoSupplier final : public PageSupplier {
public:
    void supply(VirtAddr, Privilege) override {}
};

class HandBuiltTables {
public:
    HandBuiltTables(const MachineParameters& machine, Paging paging, Levels levels = {})
        : mmu_(machine) {
        const bool amd = machine.vendor == Vendor::kAmd;
        regime.vendor = machine.vendor;
        regime.flags = flags({ControlFlag::kPg, ControlFlag::kWp, ControlFlag::kNxe});
        regime.nested = paging == Paging::kNested;
        regime.linear = {0, levels.guest, EntryFormat::kOrdinary};
        regime.linear_memory = &guest_memory;
        regime.host = {kHostTables, levels.host, amd ? EntryFormat::kOrdinary : EntryFormat::kEpt};
        regime.host_memory = &host_memory;
        regime.host_accessed_dirty = amd;
        regime.combined_target = machine.combined_target;
        regime.context = regime.nested ? 1 : 0;
        regime.generation = 1;
        host_bits = amd ? kP | kRw | kUs | kA | kD : kEptRwx | kEptA | kEptD;
        guest_bits = kP | kRw | kUs | kA | kD;
    }

    /// Maps `va` through `tables`, root first; the last of them holds the leaf.
    void map(std::uint64_t va, const std::vector<std::uint64_t>& tables, std::uint64_t data) {
        regime.linear.root = tables.front();
        int level = regime.linear.levels;
        for (std::size_t at = 0; at < tables.size(); ++at, --level) {
            const bool leaf = at + 1 == tables.size();
            const std::uint64_t target = leaf ? data : tables[at + 1];
            guest_memory.write(tables[at] + 8 * index(va, level),
                               target | guest_bits | (leaf && level > 1 ? kPs : 0));
        }
    }

    /// Maps guest-physical `gpa` in the host's tables with a leaf of `leaf_level`.
    void map_host(std::uint64_t gpa, int leaf_level = 1) {
        std::uint64_t table = kHostTables;
        for (int level = regime.host.levels; level > leaf_level; --level) {
            const std::uint64_t below = host_table(gpa, level - 1);
            host_memory.write(table + 8 * index(gpa, level), below | host_bits);
            table = below;
        }
        const std::uint64_t page = gpa >> shift(leaf_level) << shift(leaf_level);
        host_memory.write(table + 8 * index(gpa, leaf_level),
                          (page + kHostOffset) | host_bits | (leaf_level > 1 ? kPs : 0));
    }

    /// Where the host entry of `level` for `gpa` is.
    std::uint64_t host_entry(std::uint64_t gpa, int level) {
        const bool root = level == regime.host.levels;
        return (root ? kHostTables : host_table(gpa, level)) + 8 * index(gpa, level);
    }

    const Outcome& translate(std::uint64_t va, AccessKind kind = AccessKind::kLoad) {
        NoSupplier supplier;
        outcome_.clear();
        mmu_.translate({.va = VirtAddr(va), .kind = kind}, regime, supplier, outcome_);
        return outcome_;
    }
    /// Paging-structure reads of one access.
    std::size_t reads(std::uint64_t va, AccessKind kind = AccessKind::kLoad) {
        translate(va, kind);
        return outcome_.fault.raised() ? 0 : outcome_.reads.size();
    }

    static int shift(int level) { return 12 + 9 * (level - 1); }
    static std::uint64_t index(std::uint64_t address, int level) {
        return (address >> shift(level)) & 511;
    }

    TableMemory guest_memory{};  ///< natively, all of memory
    TableMemory host_memory{};
    Regime regime{};
    std::uint64_t guest_bits{};  ///< of the guest entries that map() writes
    std::uint64_t host_bits{};

private:
    std::uint64_t host_table(std::uint64_t gpa, int level) {
        const auto key = std::make_pair(level, gpa >> shift(level + 1));
        return host_tables_.try_emplace(key, kHostTables + k4K * (host_tables_.size() + 1))
            .first->second;
    }

    Mmu mmu_;
    Outcome outcome_{};
    std::map<std::pair<int, std::uint64_t>, std::uint64_t> host_tables_{};
};

}  // namespace nestwalk::test
