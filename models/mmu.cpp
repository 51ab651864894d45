#include "models/mmu.h"
#include "models/digest.h"
#include "models/invalidation.h"

#include <algorithm>

namespace nestwalk {

Mmu::Mmu(const MachineParameters& machine)
    : fracture_(machine.fracture), smash_1g_(machine.smash_1g), coalescing_(machine.coalescing) {
    add_arrays(machine.l1_dtlb, {&order_.l1[0]});
    add_arrays(machine.l1_itlb, {&order_.l1[1]});
    if (machine.stlb_instruction.empty()) {
        add_arrays(machine.stlb, {&order_.stlb[0], &order_.stlb[1]});
    } else {
        add_arrays(machine.stlb, {&order_.stlb[0]});
        add_arrays(machine.stlb_instruction, {&order_.stlb[1]});
    }
    add_arrays(machine.paging_structure_caches, {});
    add_arrays(machine.nested_tlb, {});
    add_arrays(machine.nested_paging_structure_caches, {});

    const auto by_level = [](const Probe& left, const Probe& right) {
        return left.level != right.level ? left.level < right.level : left.span < right.span;
    };
    for (Probes* probes :
         {&order_.l1[0], &order_.l1[1], &order_.stlb[0], &order_.stlb[1], &order_.paging_structures,
          &order_.nested_translations, &order_.nested_paging_structures}) {
        std::stable_sort(probes->begin(), probes->end(), by_level);
    }
    has_structures_ = {!order_.paging_structures.empty(), !order_.nested_translations.empty(),
                       !order_.nested_paging_structures.empty()};
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
                case MappingClass::kPagingStructure:
                    order_.paging_structures.push_back(probe);
                    break;
                case MappingClass::kNestedTranslation:
                    order_.nested_translations.push_back(probe);
                    break;
                case MappingClass::kNestedPagingStructure:
                    order_.nested_paging_structures.push_back(probe);
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
bool Mmu::matches_larger(const Probes& probes, const Mapping& used, MappingKey key, VirtAddr va) {
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
    const MappingKey key = regime.linear_key(MappingRole::kTranslation);
    const RecentHits::Hit recent = recent_hits_.find(request.va, key, side);
    if (recent.mapping != nullptr) {
        outcome.result = TranslationResult::kL1Hit;
        arrays_[recent.array].touch(recent.mapping);
        return {recent.mapping, recent.array};
    }
    Found hit = look_up(order_.l1[side], request.va.value(), key);
    if (hit.mapping != nullptr) {
        outcome.result = TranslationResult::kL1Hit;
        outcome.ambiguous = matches_larger(order_.l1[side], *hit.mapping, key, request.va);
        if (!outcome.ambiguous)
            recent_hits_.remember(request.va, key, side, {hit.mapping, hit.array});
    } else {
        outcome.l1_missed = true;
        hit = look_up(order_.stlb[side], request.va.value(), key);
        if (hit.mapping == nullptr) {
            outcome.stlb_missed = true;
            return hit;
        }
        outcome.result = TranslationResult::kStlbHit;
        outcome.ambiguous = matches_larger(order_.stlb[side], *hit.mapping, key, request.va);
    }
    arrays_[hit.array].touch(hit.mapping);
    return hit;
}

// --- One translation ----------------------------------------------------------------------------

void Mmu::translate(const WalkRequest& request, const Regime& regime, PageSupplier& supplier,
                    Outcome& outcome) {
    ++sequence_;
    outcome.access = request.kind;
    outcome.sequence = sequence_;
    const bool addressable = regime.paging ? is_canonical(request.va, regime.linear.levels)
                                           : request.va.value() >> kPhysicalAddressBits == 0;
    if (!addressable) {
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

/// True if the hit was enough. An entry whose rights refuse the access may be out of date: it is
/// dropped and the tables are walked before anything faults (APM "Use of Cached Entries When
/// Reporting a Page Fault Exception").
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
    outcome.filled_by = used.bookkeeping.filled_by;
    outcome.page_level = used.key.level;
    outcome.page_span = used.key.span;
    outcome.whole_level = used.whole_level;
    outcome.physical = used.target + used.offset_of(request.va.value());
    const bool assist = request.kind == AccessKind::kStore && !(used.dirty && used.host_dirty);
    if (!assist) {
        note_staleness(used, request.va, regime, outcome);
        if (outcome.result == TranslationResult::kStlbHit) {
            fill_l1(Mapping(used), request.va, request.kind, outcome);
        }
        return true;
    }
    // What the walk finds is the answer and takes the entry's place; others that match are left
    // alone.
    outcome.dirty_assist = true;
    recent_hits_.forget();
    const MappingKey replaced = used.key;
    for (const Probes* probes :
         {&order_.l1[0], &order_.stlb[0]}) {  // stores go through the data side
        for (const Probe& probe : *probes) {
            arrays_[probe.array].erase_if(
                [&](const Mapping& mapping) { return mapping.key == replaced; });
        }
    }
    walk_and_fill(request, regime, outcome);
    return true;
}

// --- Dropping -----------------------------------------------------------------------------------

void Mmu::drop(const Selection& selection, Outcome& outcome) {
    recent_hits_.forget();
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
    recent_hits_.forget();
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

bool Mmu::same_fills(const Mmu& other, FillWindow mine, FillWindow others) const {
    const auto agree = [&](const Mapping& one, const Mapping& another) {
        return same_age(one.bookkeeping.filled_by, mine, another.bookkeeping.filled_by, others);
    };
    for (std::size_t index = 0; index < arrays_.size(); ++index) {
        if (!arrays_[index].all_pairs(other.arrays_[index], agree)) return false;
    }
    return true;
}

}  // namespace nestwalk
