#include "models/mmu.h"

#include <algorithm>

#include "models/digest.h"
#include "models/invalidation.h"

namespace nestwalk {
namespace {

constexpr std::uint8_t kCoalescedSpan = 2;

std::size_t side_of(AccessKind kind) { return kind == AccessKind::kFetch ? 1 : 0; }

MappingKey linear_query(const Regime& regime, MappingRole role) {
    return {.ep4ta = regime.nested ? regime.ep4ta : Ep4ta{},
            .context = regime.context,
            .pcid = regime.pcid,
            .kind = regime.linear_kind(),
            .role = role};
}

MappingKey nested_query(const Regime& regime, MappingRole role) {
    return {.ep4ta = regime.ep4ta,
            .context = regime.vendor == Vendor::kAmd ? regime.context : std::uint16_t{0},
            .kind = MappingKind::kGuestPhysical,
            .role = role};
}

/// The part of a translation that an array of smaller pages can hold.
Mapping piece_of(Mapping mapping, int level, VirtAddr va) {
    if (level >= mapping.key.level) return mapping;
    const std::uint64_t offset =
        align_down(va.value() & (level_bytes(mapping.key.level) - 1), level_bytes(level));
    mapping.key.level = static_cast<std::uint8_t>(level);
    mapping.key.page = va.value() >> level_shift(level);
    mapping.target += offset;
    mapping.guest_target += offset;
    return mapping;
}

}  // namespace

Mmu::Mmu(const MachineParameters& machine)
    : fracture_(machine.fracture), smash_1g_(machine.smash_1g), coalescing_(machine.coalescing) {
    add_arrays(machine.l1_dtlb, {&l1_[0]});
    add_arrays(machine.l1_itlb, {&l1_[1]});
    if (machine.stlb_instruction.empty()) {
        add_arrays(machine.stlb, {&stlb_[0], &stlb_[1]});
    } else {
        add_arrays(machine.stlb, {&stlb_[0]});
        add_arrays(machine.stlb_instruction, {&stlb_[1]});
    }
    add_arrays(machine.paging_structure_caches, {});
    add_arrays(machine.nested_tlb, {});
    add_arrays(machine.nested_paging_structure_caches, {});

    const auto by_level = [](const Probe& left, const Probe& right) {
        return left.level != right.level ? left.level < right.level : left.span < right.span;
    };
    for (Probes* probes : {&l1_[0], &l1_[1], &stlb_[0], &stlb_[1], &paging_structures_,
                           &nested_translations_, &nested_paging_structures_}) {
        std::stable_sort(probes->begin(), probes->end(), by_level);
    }
}

void Mmu::add_arrays(const std::vector<StructureParameters>& parameters,
                     std::initializer_list<Probes*> translations) {
    for (const StructureParameters& array : parameters) {
        if (array.entries == 0) continue;
        const auto index = static_cast<std::uint32_t>(arrays_.size());
        arrays_.emplace_back(array);
        for (const Holding& held : array.holds) {
            const Probe probe{index, static_cast<std::uint8_t>(held.level), 0};
            switch (held.mapping_class) {
                case MappingClass::kTranslation:
                    for (Probes* probes : translations) {
                        probes->push_back(probe);
                        if (held.level == 1 && coalescing_ == Coalescing::kFourPages) {
                            probes->push_back({index, 1, kCoalescedSpan});
                        }
                    }
                    break;
                case MappingClass::kPagingStructure: paging_structures_.push_back(probe); break;
                case MappingClass::kNestedTranslation: nested_translations_.push_back(probe); break;
                case MappingClass::kNestedPagingStructure:
                    nested_paging_structures_.push_back(probe);
                    break;
            }
        }
    }
}

// --- Look-up ------------------------------------------------------------------------------------

Mmu::Found Mmu::look_up(const Probes& probes, std::uint64_t address, MappingKey key) {
    for (const Probe& probe : probes) {
        TranslationArray& array = arrays_[probe.array];
        if (array.size() == 0) continue;
        key.level = probe.level;
        key.span = probe.span;
        key.page = address >> key.shift();
        if (Mapping* mapping = array.find({key})) return {mapping, probe.array};
    }
    return {};
}

/// More than one size of page is cached for the address; the smaller one was used.
bool Mmu::matches_larger(const Probes& probes, const Mapping& used, VirtAddr va) {
    MappingKey key = used.key;
    for (const Probe& probe : probes) {
        if (arrays_[probe.array].size() == 0) continue;
        key.level = probe.level;
        key.span = probe.span;
        if (key.shift() <= used.key.shift()) continue;
        key.page = va.value() >> key.shift();
        if (arrays_[probe.array].find({key}) != nullptr) return true;
    }
    return false;
}

Mmu::Found Mmu::look_up_tlbs(const WalkRequest& request, const Regime& regime, Outcome& outcome) {
    const std::size_t side = side_of(request.kind);
    const MappingKey key = linear_query(regime, MappingRole::kTranslation);
    Found hit = look_up(l1_[side], request.va.value(), key);
    if (hit.mapping != nullptr) {
        outcome.result = TranslationResult::kL1Hit;
        outcome.ambiguous = matches_larger(l1_[side], *hit.mapping, request.va);
    } else {
        outcome.l1_missed = true;
        hit = look_up(stlb_[side], request.va.value(), key);
        if (hit.mapping == nullptr) {
            outcome.stlb_missed = true;
            return hit;
        }
        outcome.result = TranslationResult::kStlbHit;
        outcome.ambiguous = matches_larger(stlb_[side], *hit.mapping, request.va);
    }
    arrays_[hit.array].touch(hit.mapping);
    return hit;
}

// --- One translation ----------------------------------------------------------------------------

void Mmu::translate(const WalkRequest& request, const Regime& regime, PageSupplier& supplier,
                    Outcome& outcome) {
    ++sequence_;
    outcome.access = request.kind;
    if (regime.paging && !is_canonical(request.va, regime.linear.levels)) {
        raise({.kind = FaultKind::kGeneralProtection, .access = request.kind, .va = request.va},
              regime, outcome);
        return;
    }
    if (!regime.paging && !regime.nested) {
        outcome.physical = request.va.value();
        return;
    }
    const Found hit = look_up_tlbs(request, regime, outcome);
    if (hit.mapping != nullptr && use_hit(hit, request, regime, outcome)) return;
    if (hit.mapping == nullptr) supplier.supply(request.va, request.privilege);
    outcome.result = TranslationResult::kMiss;
    walk_and_fill(request, regime, outcome);
}

/// True if the hit was enough. An entry whose rights refuse the access may be out of date: it is dropped
/// and the tables are walked before anything faults (APM "Use of Cached Entries When Reporting a Page
/// Fault Exception").
bool Mmu::use_hit(Found hit, const WalkRequest& request, const Regime& regime, Outcome& outcome) {
    Mapping& used = *hit.mapping;
    if (!permits_linear(used.rights, request.kind, request.privilege, regime.flags) ||
        !permits_host(used.rights, request.kind)) {
        outcome.rights_rewalk = true;
        outcome.l1_missed = outcome.stlb_missed = true;
        outcome.ambiguous = false;
        for (const Selection& selection : page_fault_drops(regime, request.va)) {
            drop(selection, outcome);
        }
        return false;
    }
    note_staleness(used, request.va, regime, outcome);
    outcome.filled_by = used.bookkeeping.filled_by;
    outcome.page_level = used.key.level;
    outcome.page_span = used.key.span;
    outcome.whole_level = used.whole_level;
    outcome.physical = used.target + used.offset_of(request.va.value());
    const bool assist = request.kind == AccessKind::kStore && !(used.dirty && used.host_dirty);
    if (outcome.result == TranslationResult::kStlbHit && !assist) {
        fill_l1(Mapping(used), request.va, request.kind, outcome);
    }
    if (assist) {
        outcome.dirty_assist = true;
        const Selection cached = evicted_entries(regime, request.va);
        for (const Probes* probes : {&l1_[0], &stlb_[0]}) {  // stores go through the data side
            for (const Probe& probe : *probes) {
                arrays_[probe.array].erase_if(
                    [&](const Mapping& mapping) { return cached.matches(mapping); });
            }
        }
        walk_and_fill(request, regime, outcome);
    }
    return true;
}

void Mmu::walk_and_fill(const WalkRequest& request, const Regime& regime, Outcome& outcome) {
    std::optional<Mapping> start;
    if (regime.paging) {
        const Found found = look_up(paging_structures_, request.va.value(),
                                    linear_query(regime, MappingRole::kPagingStructure));
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
    result.bookkeeping = {.filled_by = sequence_, .verified = trusted_ ? regime.generation : 0};
    note_staleness(result, request.va, regime, outcome);
    fill_translation(as_cached(result, request.va, regime, *ended), request.va, request.kind, outcome);
    outcome.physical = ended->physical();
}

bool Mmu::drive(Walk& walk, const Regime& regime, Outcome& outcome) {
    for (;;) {
        switch (walk.step()) {
            case Walk::Step::kTranslateGuestPhysical: answer_guest_physical(walk, regime); break;
            case Walk::Step::kReadEntry: read_entry(walk, regime, outcome); break;
            case Walk::Step::kCache: {
                Mapping mapping = walk.fill();
                mapping.bookkeeping = {.filled_by = sequence_,
                                       .verified = trusted_ ? regime.generation : 0};
                cache(mapping, outcome);
                walk.cached();
                break;
            }
            case Walk::Step::kDone: return true;
            case Walk::Step::kFault: return false;
        }
    }
}

void Mmu::answer_guest_physical(Walk& walk, const Regime& regime) {
    const std::uint64_t gpa = walk.guest_physical().value();
    const Found translation = look_up(nested_translations_, gpa,
                                      nested_query(regime, MappingRole::kTranslation));
    if (translation.mapping != nullptr && walk.can_use(*translation.mapping)) {
        arrays_[translation.array].touch(translation.mapping);
        trusted_ = trusted_ && translation.mapping->bookkeeping.verified == regime.generation;
        walk.use(Mapping(*translation.mapping));
        return;
    }
    const Found start = look_up(nested_paging_structures_, gpa,
                                nested_query(regime, MappingRole::kPagingStructure));
    if (start.mapping == nullptr) return walk.walk_host(nullptr);
    arrays_[start.array].touch(start.mapping);
    trusted_ = trusted_ && start.mapping->bookkeeping.verified == regime.generation;
    walk.walk_host(start.mapping);
}

void Mmu::read_entry(Walk& walk, const Regime& regime, Outcome& outcome) {
    const EntryAddress entry = walk.entry();
    const bool guest_physical = entry.dimension == Dimension::kGuest && regime.nested;
    TableMemory& memory = *(entry.dimension == Dimension::kGuest ? regime.linear_memory
                                                                 : regime.host_memory);
    const std::uint64_t address =
        guest_physical ? entry.guest_location : entry.location.value();
    const EntryFormat format =
        entry.dimension == Dimension::kGuest ? regime.linear.format : regime.host.format;
    const std::uint64_t raw = memory.read(address);
    const std::uint64_t updated = walk.take(raw);
    const std::uint64_t changed = raw ^ updated;
    if (changed != 0) memory.write(address, updated);
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
    for (;;) {
        switch (walk.step()) {
            case Walk::Step::kTranslateGuestPhysical: walk.walk_host(nullptr); break;
            case Walk::Step::kReadEntry: {
                const EntryAddress entry = walk.entry();
                if (entry.dimension == Dimension::kHost) {
                    walk.take(regime.host_memory->read(entry.location.value()));
                } else {
                    walk.take(regime.linear_memory->read(regime.nested ? entry.guest_location
                                                                       : entry.location.value()));
                }
                break;
            }
            case Walk::Step::kCache: walk.cached(); break;
            case Walk::Step::kDone: return walk;
            case Walk::Step::kFault: return std::nullopt;
        }
    }
}

void Mmu::note_staleness(Mapping& used, VirtAddr va, const Regime& regime,
                         Outcome& outcome) const {
    if (used.bookkeeping.verified == regime.generation) return;
    const std::optional<Walk> fresh = walk_uncached(regime, va);
    if (!fresh) {
        outcome.stale = true;
        return;
    }
    const Mapping& now = fresh->result();
    const std::uint64_t physical = used.target + used.offset_of(va.value());
    outcome.stale_rights = now.rights != used.rights;
    outcome.stale = outcome.stale_rights || fresh->physical() != physical ||
                    now.effective_level != used.effective_level ||
                    now.whole_level != used.whole_level || now.global != used.global;
    if (!outcome.stale) used.bookkeeping.verified = regime.generation;
}

// --- Filling ------------------------------------------------------------------------------------

void Mmu::cache_in(std::uint32_t array, const Mapping& mapping, Outcome& outcome) {
    arrays_[array].insert(mapping);
    outcome.fills.push_back({array, static_cast<std::uint32_t>(outcome.reads.size()), mapping});
}

void Mmu::cache(Mapping mapping, Outcome& outcome) {
    const MappingClass mapping_class = class_of(mapping);
    const Probes& probes = mapping_class == MappingClass::kPagingStructure ? paging_structures_
                           : mapping_class == MappingClass::kNestedTranslation
                               ? nested_translations_
                               : nested_paging_structures_;
    for (const Probe& probe : probes) {
        if (probe.level == mapping.key.level) cache_in(probe.array, mapping, outcome);
    }
}

void Mmu::fill_l1(const Mapping& mapping, VirtAddr va, AccessKind kind, Outcome& outcome) {
    const Probes& probes = l1_[side_of(kind)];
    // An L1 without pages of this size keeps the next smaller piece that it can.
    for (auto probe = probes.rbegin(); probe != probes.rend(); ++probe) {
        if (probe->level > mapping.key.level) continue;
        cache_in(probe->array, piece_of(mapping, probe->level, va), outcome);
        return;
    }
}

void Mmu::fill_translation(const Mapping& mapping, VirtAddr va, AccessKind kind,
                           Outcome& outcome) {
    fill_l1(mapping, va, kind, outcome);
    for (const Probe& probe : stlb_[side_of(kind)]) {
        if (probe.level == mapping.key.level) cache_in(probe.array, mapping, outcome);
    }
    outcome.page_level = mapping.key.level;
    outcome.whole_level = mapping.whole_level;
    outcome.page_span = mapping.key.span;
    outcome.coalesced_fill = mapping.key.span != 0;
    outcome.fractured_fill = mapping.fractured();
    fracture_seen_ = fracture_seen_ || mapping.fractured();
}

/// What the processor makes of a translation before it caches it: smashed, coalesced or as it is.
Mapping Mmu::as_cached(Mapping mapping, VirtAddr va, const Regime& regime, const Walk& walk) {
    if (mapping.key.level == 3 && smash_1g_.enabled) {
        smash_seen_ = true;
        return piece_of(mapping, 2, va);
    }
    if (coalescing_ == Coalescing::kFourPages && mapping.key.level == 1 && walk.all_accessed()) {
        return coalesced(mapping, va, regime).value_or(mapping);
    }
    return mapping;
}

/// The entry for the four pages around `va`, if they are contiguous, aligned and alike; their entries are
/// in the cache line that the walk read, so looking at them is free.
std::optional<Mapping> Mmu::coalesced(const Mapping& mapping, VirtAddr va,
                                      const Regime& regime) const {
    Mapping group = mapping;
    group.key.span = kCoalescedSpan;
    group.key.page = va.value() >> group.key.shift();
    const std::uint64_t bytes = std::uint64_t{1} << group.key.shift();
    const std::uint64_t first = align_down(va.value(), bytes);
    group.target = align_down(mapping.target, bytes);
    group.guest_target = align_down(mapping.guest_target, bytes);
    for (std::uint64_t offset = 0; offset < bytes; offset += page_bytes(PageSize::k4K)) {
        const std::optional<Walk> walk = walk_uncached(regime, VirtAddr(first + offset));
        if (!walk) return std::nullopt;
        const Mapping& page = walk->result();
        const bool mine = first + offset == align_down(va.value(), page_bytes(PageSize::k4K));
        const bool alike = page.key.level == 1 && page.target == group.target + offset &&
                           page.rights == mapping.rights && page.global == mapping.global &&
                           page.whole_level == mapping.whole_level &&
                           (mine || (page.dirty == mapping.dirty && walk->all_accessed()));
        if (!alike) return std::nullopt;
    }
    return group;
}

// --- Dropping -----------------------------------------------------------------------------------

void Mmu::drop(const Selection& selection, Outcome& outcome) {
    std::size_t translations_left = 0;
    for (TranslationArray& array : arrays_) {
        array.erase_if([&](const Mapping& mapping) {
            if (!selection.matches(mapping)) return false;
            outcome.dropped.count(mapping);
            return true;
        });
        translations_left += array.translations();
    }
    if (translations_left == 0) fracture_seen_ = smash_seen_ = false;
}

bool Mmu::holds_fractured() const {
    return std::any_of(arrays_.begin(), arrays_.end(),
                       [](const TranslationArray& array) { return array.fractured() > 0; });
}

bool Mmu::fracture_present() const {
    if (fracture_.model == FractureModel::kSticky) return fracture_seen_;
    return holds_fractured();
}

void Mmu::flush_fractured(const Regime& regime, Outcome& outcome) {
    ++outcome.fracture_flushes;
    drop(fracture_drop(regime, fracture_), outcome);
    fracture_seen_ = holds_fractured();
}

void Mmu::flush_smashed(Outcome& outcome) {
    if (!smash_1g_.full_flush || !smash_seen_) return;
    ++outcome.smash_flushes;
    drop(all_translations(), outcome);
    smash_seen_ = false;
}

void Mmu::load_pcid(const Regime& regime) {
    for (TranslationArray& array : arrays_) array.load_pcid(regime.context, regime.pcid);
}

void Mmu::raise(const Fault& fault, const Regime& regime, Outcome& outcome) {
    outcome.result = TranslationResult::kFault;
    outcome.fault = fault;
    outcome.page_level = outcome.whole_level = 0;
    if (fault.exits()) ++outcome.exits;
    for (const Selection& selection : fault_drops(regime, fault)) drop(selection, outcome);
}

// --- State --------------------------------------------------------------------------------------

std::uint64_t Mmu::digest() {
    std::uint64_t digest = (fracture_seen_ ? 1u : 0u) | (smash_seen_ ? 2u : 0u);
    for (std::size_t index = 0; index < arrays_.size(); ++index) {
        digest ^= mix(index, arrays_[index].digest());
    }
    return digest;
}

bool Mmu::operator==(const Mmu& other) const {
    return fracture_seen_ == other.fracture_seen_ && smash_seen_ == other.smash_seen_ &&
           arrays_ == other.arrays_;
}

}  // namespace nestwalk
