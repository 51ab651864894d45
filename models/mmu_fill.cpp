// What is made of a finished walk before it is cached, and which arrays it goes to.

#include "models/mmu.h"

namespace nestwalk {
void Mmu::cache_in(std::uint32_t array, const Mapping& mapping, Outcome& outcome) {
    recent_hits_.forget();
    if (mapping.key.span != 0) drop_covered(arrays_[array], mapping.key);
    arrays_[array].insert(mapping);
    outcome.fills.push_back({array, static_cast<std::uint32_t>(outcome.reads.size()), mapping});
}

/// A coalesced entry takes the place of its pages' own: no array holds a page twice.
void Mmu::drop_covered(TranslationArray& array, MappingKey key) {
    const std::uint64_t pages = std::uint64_t{1} << key.span;
    const std::uint64_t first = key.page << key.span;
    key.span = 0;
    for (std::uint64_t page = first; page < first + pages; ++page) {
        key.page = page;
        if (const Mapping* const covered = array.find({key})) array.erase(covered);
    }
}

void Mmu::cache(Mapping mapping, Outcome& outcome) {
    const MappingClass mapping_class = class_of(mapping);
    const Probes& probes =
        mapping_class == MappingClass::kPagingStructure     ? order_.paging_structures
        : mapping_class == MappingClass::kNestedTranslation ? order_.nested_translations
                                                            : order_.nested_paging_structures;
    for (const Probe& probe : probes) {
        if (probe.level == mapping.key.level) cache_in(probe.array, mapping, outcome);
    }
}

void Mmu::fill_l1(const Mapping& mapping, VirtAddr va, AccessKind kind, Outcome& outcome) {
    const Probes& probes = order_.l1[side_of(kind)];
    // An L1 without pages of this size keeps the next smaller piece that it can.
    for (auto probe = probes.rbegin(); probe != probes.rend(); ++probe) {
        if (probe->level > mapping.key.level) continue;
        cache_in(probe->array, piece_of(mapping, probe->level, va), outcome);
        return;
    }
}

void Mmu::fill_translation(const Mapping& mapping, VirtAddr va, AccessKind kind, Outcome& outcome) {
    fill_l1(mapping, va, kind, outcome);
    for (const Probe& probe : order_.stlb[side_of(kind)]) {
        const bool fits = probe.level == mapping.key.level && probe.span == mapping.key.span;
        if (fits) cache_in(probe.array, mapping, outcome);
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

/// The entry for the four pages around `va`, if they are contiguous and aligned in every address
/// space and alike; their entries are in the cache lines that the walk read, so looking at them is
/// free.
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
        const bool contiguous =
            page.target == group.target + offset &&
            (!regime.nested || page.guest_target == group.guest_target + offset);
        const bool alike = page.key.level == 1 && page.whole_level == mapping.whole_level &&
                           page.rights == mapping.rights && page.global == mapping.global;
        const bool same_bits = mine || (walk->all_accessed() && page.dirty == mapping.dirty &&
                                        page.host_dirty == mapping.host_dirty);
        if (!contiguous || !alike || !same_bits) return std::nullopt;
    }
    return group;
}

}  // namespace nestwalk
