#include "models/shadow_tables.h"
#include "models/mmu.h"
#include "models/walk_to_end.h"

#include <algorithm>

namespace nestwalk {
namespace {

std::uint64_t table_of(std::uint64_t location) { return align_down(location, level_bytes(1)); }

/// Hardware writes nothing into shadow tables: the hypervisor sets A and D beforehand, and leaves a
/// clean page read-only so that it hears of the first store. It sets no G (KVM).
LeafFlags flags_of(const Mapping& leaf) {
    return {.writable = leaf.rights.writable && leaf.rights.host_writable && leaf.dirty,
            .user = leaf.rights.user,
            .no_execute = leaf.rights.no_execute || !leaf.rights.host_executable};
}

/// The processor always runs with CR0.WP. If the guest does not, its kernel may write a read-only
/// page: the leaf is then writable and the kernel's alone, until user code comes for it.
LeafFlags flags_of(const Mapping& leaf, const WalkRequest& access, ControlFlags guest) {
    LeafFlags flags = flags_of(leaf);
    const bool kernel_store =
        access.kind == AccessKind::kStore && access.privilege == Privilege::kKernel;
    if (!kernel_store || leaf.rights.writable || guest.test(ControlFlag::kWp)) return flags;
    flags.writable = leaf.rights.host_writable;
    // Of a user page that SMEP protects nothing may be executed, and the leaf no longer says so.
    if (leaf.rights.user && guest.test(ControlFlag::kSmep)) flags.no_execute = true;
    flags.user = false;
    return flags;
}

}  // namespace

Regime ShadowTables::regime_of(SpaceTables tables) const {
    Regime regime = composed_;
    regime.linear.root = guest_.spaces[tables.space].root_of(tables.tables);
    return regime;
}

PageTable ShadowTables::shadow(SpaceTables tables) const {
    const std::uint64_t root = guest_.spaces[tables.space].shadow_root_of(tables.tables);
    return {{root, guest_.levels, EntryFormat::kOrdinary},
            host_.memory,
            host_.frames,
            InitialBits::kAccessedAndDirty};
}

PageTable ShadowTables::guest_tables(SpaceTables tables) const {
    const std::uint64_t root = guest_.spaces[tables.space].root_of(tables.tables);
    return {{root, guest_.levels, EntryFormat::kOrdinary},
            guest_.memory,
            guest_.frames,
            InitialBits::kAccessedAndDirty};
}

bool ShadowTables::in_pieces(SpaceTables tables, VirtAddr va) const {
    const PageTable guest = guest_tables(tables);
    return guest.maps(va.value()) &&
           shadow(tables).find(va.value()).level < guest.find(va.value()).level;
}

// --- Filling ------------------------------------------------------------------------------------

std::optional<Fault> ShadowTables::fill(SpaceTables tables, const WalkRequest& access) {
    const Regime regime = regime_of(tables);
    Walk walk(regime, access, nullptr);
    if (!walk_to_end(walk, regime)) return walk.fault();
    note_tables(tables, access.va, walk.result().whole_level);
    install(tables, access, walk.result());
    return std::nullopt;
}

void ShadowTables::install(SpaceTables tables, const WalkRequest& access, const Mapping& leaf) {
    shadow(tables).map(align_down(access.va.value(), level_bytes(leaf.key.level)),
                       page_size_of_level(leaf.key.level), leaf.target,
                       flags_of(leaf, access, composed_.flags));
}

void ShadowTables::note_tables(SpaceTables tables, VirtAddr va, int leaf_level) {
    // Addresses of both halves in one form, so that they can be compared.
    const std::uint64_t address = va.value() & (level_bytes(guest_.levels + 1) - 1);
    std::uint64_t table = guest_.spaces[tables.space].root_of(tables.tables);
    for (int level = guest_.levels;; --level) {
        note_table(table, level, {tables, align_down(address, level_bytes(level + 1))});
        if (level == leaf_level) return;
        const std::uint64_t entry = table + kBytesPerEntry * table_index(va.value(), level);
        table = guest_.memory.read(entry) & entry_bit::kTarget;
    }
}

void ShadowTables::note_table(std::uint64_t table, int level, ShadowUse use) {
    ShadowedTable& noted = guest_.shadowed.tables[{table, level}];
    const auto at = std::lower_bound(noted.uses.begin(), noted.uses.end(), use);
    if (at == noted.uses.end() || *at != use) noted.uses.insert(at, use);
    if (level == 1) return;
    // A table that is used at an upper level too is always in sync.
    const auto leaf = guest_.shadowed.tables.find({table, 1});
    if (leaf != guest_.shadowed.tables.end() && leaf->second.out_of_sync) sync_table(leaf->second);
}

// --- Writes of the guest's tables ---------------------------------------------------------------

ShadowTables::Write ShadowTables::written(std::uint64_t location) {
    const std::uint64_t table = table_of(location);
    const std::uint64_t index = (location - table) / kBytesPerEntry;
    auto& tables = guest_.shadowed.tables;
    bool upper = false;
    std::vector<std::pair<ShadowUse, int>> entries;
    for (auto at = tables.lower_bound({table, 0}); at != tables.end() && at->first.first == table;
         ++at) {
        const int level = at->first.second;
        upper = upper || level > 1;
        for (const ShadowUse& use : at->second.uses) {
            entries.emplace_back(ShadowUse{use.tables, use.base + index * level_bytes(level)},
                                 level);
        }
    }
    if (entries.empty()) return {};
    if (!upper) {
        ShadowedTable& leaves = tables.at({table, 1});
        if (leaves.out_of_sync) return {};
        leaves.out_of_sync = true;
        ++guest_.shadowed.out_of_sync;
        return {.exits = true};
    }
    Write write{.exits = true};
    for (const auto& [entry, level] : entries) write.dropped = drop(entry, level) || write.dropped;
    return write;
}

/// Drops the shadow entry of `level` and all below it; true if there was one.
bool ShadowTables::drop(const ShadowUse& region, int level) {
    if (!shadow(region.tables).erase(region.base, level)) return false;
    forget_below(region, level);
    return true;
}

void ShadowTables::forget_below(const ShadowUse& region, int level) {
    auto& tables = guest_.shadowed.tables;
    const std::uint64_t bytes = level_bytes(level);
    for (auto at = tables.begin(); at != tables.end();) {
        std::vector<ShadowUse>& uses = at->second.uses;
        if (at->first.second < level) {
            uses.erase(std::remove_if(uses.begin(), uses.end(),
                                      [&](const ShadowUse& use) {
                                          return use.tables == region.tables &&
                                                 use.base - region.base < bytes;
                                      }),
                       uses.end());
        }
        if (uses.empty()) {
            if (at->second.out_of_sync) --guest_.shadowed.out_of_sync;
            at = tables.erase(at);
        } else {
            ++at;
        }
    }
}

void ShadowTables::drop_all() {
    const int top = guest_.levels;
    for (std::size_t space = 0; space < guest_.spaces.size(); ++space) {
        for (const Tables which : {Tables::kKernel, Tables::kUser}) {
            if (guest_.spaces[space].shadow_root_of(which) == 0) continue;
            PageTable table = shadow({space, which});
            for (std::uint64_t index = 0; index < kEntriesPerTable; ++index) {
                table.erase(index * level_bytes(top), top);
            }
        }
    }
    guest_.shadowed = {};
}

// --- Synchronisation ----------------------------------------------------------------------------

void ShadowTables::sync(SpaceTables tables, VirtAddr va) {
    PageTable table = shadow(tables);
    const EntrySlot slot = table.find(va.value());
    if (slot.level != 1 || slot.raw == 0) return;
    const Regime regime = regime_of(tables);
    const std::optional<Walk> walk = Mmu::walk_uncached(regime, va);
    // A leaf without A is dropped: the next access has to set it.
    if (walk && walk->all_accessed() && walk->result().key.level == 1 &&
        walk->result().target == (slot.raw & entry_bit::kTarget)) {
        table.protect(va.value(), flags_of(walk->result()));
    } else {
        table.erase(va.value(), 1);
    }
}

void ShadowTables::sync_table(ShadowedTable& table) {
    for (const ShadowUse& use : table.uses) {
        for (std::uint64_t index = 0; index < kEntriesPerTable; ++index) {
            sync(use.tables, VirtAddr(use.base + index * level_bytes(1)));
        }
    }
    table.out_of_sync = false;
    --guest_.shadowed.out_of_sync;
}

void ShadowTables::sync(SpaceTables tables) {
    if (guest_.shadowed.out_of_sync == 0) return;
    for (auto& [key, table] : guest_.shadowed.tables) {
        const bool used = std::any_of(table.uses.begin(), table.uses.end(),
                                      [&](const ShadowUse& use) { return use.tables == tables; });
        if (used && table.out_of_sync) sync_table(table);
    }
}

}  // namespace nestwalk
