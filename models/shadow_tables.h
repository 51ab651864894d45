#pragma once

// Shadow page tables as a hypervisor keeps them for one virtual machine: made leaf by leaf from the
// guest's tables and the host's, when a page fault shows that one is missing. The guest's tables
// that they were made from are write-protected, so the guest's writes of them are heard of. A
// level-1 table may go out of sync: the guest writes it freely until an operation that flushes
// makes the shadow follow it again (KVM's "unsync" pages, Xen's "out of sync" pages).

#include "models/fault.h"
#include "models/page_table.h"
#include "models/regime.h"
#include "models/system_state.h"
#include "models/walk.h"

#include <cstdint>
#include <optional>

namespace nestwalk {

/// Edits the shadow tables of one virtual machine. Holds references; made for one use and dropped.
class ShadowTables {
public:
    /// `composed` is the regime of a nested walk of the guest; the tables of its linear dimension
    /// are those of the space that is meant.
    ShadowTables(Software& guest, Software& host, const Regime& composed)
        : guest_(guest), host_(host), composed_(composed) {}

    /// Makes the shadow leaf that the access needs, and sets A and D in the guest's entries as the
    /// processor would. The fault, and nothing made, if the guest's tables or the host's refuse.
    std::optional<Fault> fill(SpaceTables tables, const WalkRequest& access);

    /// What a write of one entry of the guest's memory means.
    struct Write {
        bool exits{};    ///< the table was write-protected
        bool dropped{};  ///< shadow entries are gone: whatever caches them must be flushed
    };
    Write written(std::uint64_t location);

    /// The shadow leaf of `va` follows the guest's, as after an INVLPG.
    void sync(SpaceTables tables, VirtAddr va);
    /// All tables below the root that are out of sync follow the guest's and are write-protected
    /// again.
    void sync(SpaceTables tables);
    /// Nothing is left but empty roots, as after a change of the host's tables.
    void drop_all();

    /// True if the guest's page of `va` is mapped in smaller pieces.
    bool in_pieces(SpaceTables tables, VirtAddr va) const;

private:
    Regime regime_of(SpaceTables tables) const;
    PageTable shadow(SpaceTables tables) const;
    PageTable guest_tables(SpaceTables tables) const;
    void install(SpaceTables tables, const WalkRequest& access, const Mapping& leaf);
    void note_tables(SpaceTables tables, VirtAddr va, int leaf_level);
    void note_table(std::uint64_t table, int level, ShadowUse use);
    bool drop(const ShadowUse& region, int level);
    void forget_below(const ShadowUse& region, int level);
    void sync_table(ShadowedTable& table);

    Software& guest_;
    Software& host_;
    const Regime& composed_;
};

}  // namespace nestwalk
