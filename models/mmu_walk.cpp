// How a translation that no TLB holds walks the tables, and whether a cached one still agrees with
// them.

#include "models/entry_in_memory.h"
#include "models/invalidation.h"
#include "models/mmu.h"
#include "models/walk_to_end.h"

namespace nestwalk {

void Mmu::walk_and_fill(const WalkRequest& request, const Regime& regime, Outcome& outcome) {
    std::optional<Mapping> start;
    if (regime.paging) {
        const Found found = look_up(order_.paging_structures, request.va.value(),
                                    regime.linear_key(MappingRole::kPagingStructure));
        note_lookup(StructureLookup::Group::kPagingStructures, found, outcome);
        if (found.mapping != nullptr) {
            arrays_[found.array].touch(found.mapping);
            start = *found.mapping;
        }
    }
    outcome.start_level = start ? start->key.level : kFromRoot;
    trusted_ = !start || start->bookkeeping.verified == regime.generation;

    Walk walk(regime, request, start ? &*start : nullptr);
    std::optional<Walk> confirming;
    Walk* ended = &walk;
    bool done = drive(walk, regime, outcome);
    if (!done && start && walk.fault().kind == FaultKind::kPageFault) {
        // The paging-structure entry may be out of date: confirm the fault from the root.
        outcome.fault_rewalk = true;
        drop(paging_structures_of(regime, request.va), outcome);
        trusted_ = true;
        ended = &confirming.emplace(regime, request, nullptr);
        done = drive(*ended, regime, outcome);
    }
    if (!done) return raise(ended->fault(), regime, outcome);

    Mapping result = ended->result();
    result.bookkeeping = bookkeeping(regime, outcome);
    note_staleness(result, request.va, regime, outcome);
    fill_translation(as_cached(result, request.va, regime, *ended), request.va, request.kind,
                     outcome);
    outcome.physical = ended->physical();
}

Bookkeeping Mmu::bookkeeping(const Regime& regime, const Outcome& outcome) const {
    return {.filled_by = FillId::of(sequence_, outcome.reads.size()),
            .verified = trusted_ ? regime.generation : 0};
}

void Mmu::note_lookup(StructureLookup::Group group, Found found, Outcome& outcome) const {
    if (!has_structures_[static_cast<std::size_t>(group)]) return;
    outcome.lookups.push_back(
        {.group = group,
         .after_reads = static_cast<std::uint8_t>(outcome.reads.size()),
         .filled_by = found.mapping == nullptr ? FillId{} : found.mapping->bookkeeping.filled_by});
}

bool Mmu::drive(Walk& walk, const Regime& regime, Outcome& outcome) {
    for (;;) {
        switch (walk.step()) {
            case Walk::Step::kTranslateGuestPhysical:
                answer_guest_physical(walk, regime, outcome);
                break;
            case Walk::Step::kReadEntry:
                read_entry(walk, regime, outcome);
                break;
            case Walk::Step::kCache: {
                Mapping mapping = walk.fill();
                mapping.bookkeeping = bookkeeping(regime, outcome);
                cache(mapping, outcome);
                walk.cached();
                break;
            }
            case Walk::Step::kDone:
                return true;
            case Walk::Step::kFault:
                return false;
        }
    }
}

void Mmu::answer_guest_physical(Walk& walk, const Regime& regime, Outcome& outcome) {
    const std::uint64_t gpa = walk.guest_physical().value();
    const Found translation = look_up(order_.nested_translations, gpa,
                                      regime.guest_physical_key(MappingRole::kTranslation));
    note_lookup(StructureLookup::Group::kNestedTlb, translation, outcome);
    if (translation.mapping != nullptr && walk.can_use(*translation.mapping)) {
        arrays_[translation.array].touch(translation.mapping);
        trusted_ = trusted_ && translation.mapping->bookkeeping.verified == regime.generation;
        walk.use(Mapping(*translation.mapping));
        return;
    }
    const Found start = look_up(order_.nested_paging_structures, gpa,
                                regime.guest_physical_key(MappingRole::kPagingStructure));
    note_lookup(StructureLookup::Group::kGuestPhysicalStructures, start, outcome);
    if (start.mapping == nullptr) return walk.walk_host(nullptr);
    arrays_[start.array].touch(start.mapping);
    trusted_ = trusted_ && start.mapping->bookkeeping.verified == regime.generation;
    walk.walk_host(start.mapping);
}

void Mmu::read_entry(Walk& walk, const Regime& regime, Outcome& outcome) {
    const EntryAddress entry = walk.entry();
    const EntryInMemory found(entry, regime);
    const EntryFormat format =
        entry.dimension == Dimension::kGuest ? regime.linear.format : regime.host.format;
    const std::uint64_t raw = found.read();
    const std::uint64_t updated = walk.take(raw);
    const std::uint64_t changed = raw ^ updated;
    if (changed != 0) found.write(updated);
    outcome.reads.push_back({.dimension = entry.dimension,
                             .level = entry.level,
                             .set_accessed = (changed & with_accessed(0, format)) != 0,
                             .set_dirty = (changed & with_dirty(0, format)) != 0,
                             .location = entry.location,
                             .guest_location = entry.guest_location,
                             .raw = raw});
}

std::optional<Walk> Mmu::walk_uncached(const Regime& regime, VirtAddr va) {
    Walk walk(regime, {.va = va, .purpose = WalkPurpose::kProbe}, nullptr);
    if (!walk_to_end(walk, regime)) return std::nullopt;
    return walk;
}

void Mmu::note_staleness(Mapping& used, VirtAddr va, const Regime& regime, Outcome& outcome) const {
    if (used.bookkeeping.verified == regime.generation) return;
    const std::optional<Walk> fresh = walk_uncached(regime, va);
    outcome.stale_rights = fresh && fresh->result().rights != used.rights;
    outcome.stale = !fresh || !agrees(used, va, *fresh);
    if (!outcome.stale && others_agree(used, va, regime)) {
        used.bookkeeping.verified = regime.generation;
    }
}

/// True if the entry translates `va` as a fresh walk of the tables does.
bool Mmu::agrees(const Mapping& used, VirtAddr va, const Walk& fresh) {
    const Mapping& now = fresh.result();
    return now.rights == used.rights && now.global == used.global &&
           now.effective_level == used.effective_level && now.whole_level == used.whole_level &&
           fresh.physical() == used.target + used.offset_of(va.value());
}

/// The same of the other pages of a coalesced entry.
bool Mmu::others_agree(const Mapping& used, VirtAddr va, const Regime& regime) {
    const std::uint64_t bytes = std::uint64_t{1} << used.key.shift();
    if (used.key.span == 0) return true;
    const VirtAddr first(align_down(va.value(), bytes));
    for (std::uint64_t offset = 0; offset < bytes; offset += level_bytes(used.key.level)) {
        const std::optional<Walk> fresh = walk_uncached(regime, first + offset);
        if (!fresh || !agrees(used, first + offset, *fresh)) return false;
    }
    return true;
}

}  // namespace nestwalk
