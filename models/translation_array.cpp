#include "models/translation_array.h"

namespace nestwalk {

MappingClass class_of(const Mapping& mapping) {
    const bool nested = mapping.key.kind == MappingKind::kGuestPhysical;
    if (mapping.key.role == MappingRole::kTranslation) {
        return nested ? MappingClass::kNestedTranslation : MappingClass::kTranslation;
    }
    return nested ? MappingClass::kNestedPagingStructure : MappingClass::kPagingStructure;
}

TranslationArray::Storage TranslationArray::make_storage(const StructureParameters& parameters) {
    if (parameters.entries == kUnbounded) return Unbounded<Mapping>();
    const std::uint32_t ways = parameters.ways == 0 ? parameters.entries : parameters.ways;
    const std::uint32_t sets = parameters.entries / ways;
    return SetAssociative<Mapping>(
        sets, ways, parameters.index,
        Replacement(parameters.replacement, sets, ways, parameters.seed));
}

TranslationArray::TranslationArray(const StructureParameters& parameters)
    : name_(parameters.name),
      holds_(parameters.holds),
      storage_(make_storage(parameters)),
      pcids_kept_(parameters.pcids_kept) {}

void TranslationArray::load_pcid(std::uint16_t context, Pcid pcid) {
    if (pcids_kept_ == kUnbounded) return;
    const std::pair loaded{context, pcid};
    std::erase(recent_pcids_, loaded);
    recent_pcids_.insert(recent_pcids_.begin(), loaded);
    std::uint32_t others = 0;
    std::erase_if(recent_pcids_, [&](const std::pair<std::uint16_t, Pcid>& recent) {
        if (recent.first != context || recent == loaded || ++others <= pcids_kept_) return false;
        erase_if([&](const Mapping& mapping) {
            return mapping.key.kind != MappingKind::kGuestPhysical && !mapping.global &&
                   mapping.key.context == context && mapping.key.pcid == recent.second;
        });
        return true;
    });
}

const Holding* TranslationArray::holding(MappingClass mapping_class, int level) const {
    for (const Holding& held : holds_) {
        if (held.mapping_class == mapping_class && held.level == level) return &held;
    }
    return nullptr;
}

void TranslationArray::remember(const Mapping& mapping) {
    if (class_of(mapping) == MappingClass::kTranslation) ++translations_;
    if (mapping.fractured()) ++fractured_;
}

void TranslationArray::forget(const Mapping& mapping) {
    if (class_of(mapping) == MappingClass::kTranslation) --translations_;
    if (mapping.fractured()) --fractured_;
}

void TranslationArray::insert(const Mapping& mapping) {
    const WayRange ways = holding(class_of(mapping), mapping.key.level)->ways;
    const std::uint64_t tag = MappingTag::of(mapping);
    Mapping* const old =
        find(mapping.key, [&](const Mapping& other) { return other.key == mapping.key; });
    const auto on_evict = [this](const Mapping& evicted) { forget(evicted); };
    std::visit(
        [&](auto& storage) {
            if (old != nullptr) {
                forget(*old);
                *old = mapping;
                storage.touch(old);
                storage.changed(old, tag);
            } else {
                storage.insert(mapping.key.page, tag, ways, mapping, on_evict);
            }
        },
        storage_);
    remember(mapping);
}

}  // namespace nestwalk
