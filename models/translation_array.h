#pragma once

// One hardware array of cached mappings: a TLB, a paging-structure cache, a nested TLB, or an array
// that is several of these at once. What it may hold is its machine file's word; what it holds now
// is here.

#include "models/machine.h"
#include "models/mapping.h"
#include "models/mapping_tag.h"
#include "models/set_associative.h"
#include "models/unbounded.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nestwalk {

class TranslationArray {
public:
    /// `parameters.entries` is not 0, and the geometry is possible (checked where it is read).
    explicit TranslationArray(const StructureParameters& parameters);

    const std::string& name() const { return name_; }
    bool holds(MappingClass mapping_class, int level) const {
        return holding(mapping_class, level) != nullptr;
    }

    /// The entry that the query finds, or null. Does not count as a use.
    Mapping* find(const MappingQuery& query) {
        const auto matches = [&query](const Mapping& mapping) { return query.matches(mapping); };
        return find(query.key, matches);
    }
    void touch(const Mapping* mapping) {
        std::visit([mapping](auto& storage) { storage.touch(mapping); }, storage_);
    }
    /// A PCID is loaded. Entries of PCIDs that the array cannot keep beside it are dropped.
    void load_pcid(std::uint16_t context, Pcid pcid);

    /// Caches `mapping`, in the place of one with the same key if there is one.
    void insert(const Mapping& mapping);

    /// Removes an entry that find() returned.
    void erase(const Mapping* mapping) {
        forget(*mapping);
        std::visit([mapping](auto& storage) { storage.erase(mapping->key.page, mapping); },
                   storage_);
    }

    template <typename Match>
    void erase_if(Match&& matches) {
        const auto erased = [&](const Mapping& mapping) {
            if (!matches(mapping)) return false;
            forget(mapping);
            return true;
        };
        std::visit([&](auto& storage) { storage.erase_if(erased); }, storage_);
    }

    template <typename Visit>
    void for_each(Visit&& visit) const {
        std::visit([&](const auto& storage) { storage.for_each(visit); }, storage_);
    }

    /// True if every pair of entries at the same place agrees; `other` is equal to this.
    template <typename Agree>
    bool all_pairs(const TranslationArray& other, Agree&& agree) const {
        return std::visit(
            [&](const auto& storage) {
                return storage.all_pairs(std::get<std::decay_t<decltype(storage)>>(other.storage_),
                                         agree);
            },
            storage_);
    }

    std::size_t size() const {
        return std::visit([](const auto& storage) { return storage.size(); }, storage_);
    }
    /// Translations of linear addresses held now, and how many of these are fractured.
    std::size_t translations() const { return translations_; }
    std::size_t fractured() const { return fractured_; }

    // For engines that look up in bulk.
    /// Null if the array never replaces anything.
    SetAssociative<Mapping>* sets() { return std::get_if<SetAssociative<Mapping>>(&storage_); }
    const std::vector<Holding>& holds() const { return holds_; }
    /// Makes the mappings of tags that were put in without.
    template <typename Make>
    void settle(const Make& make) {
        std::get<SetAssociative<Mapping>>(storage_).settle(
            make, [this](const Mapping& gone) { forget(gone); },
            [this](const Mapping& come) { remember(come); });
    }
    /// Every mapping that is in the place of the key's and has a tag that its query may find, but those
    /// that settle() has yet to make.
    template <typename Visit>
    void for_each_like(const MappingKey& key, const Visit& visit) {
        const auto may_match = [own = MappingTag::of(key), global = MappingTag::global(key)](
                                   std::uint64_t tag) { return tag == own || tag == global; };
        std::get<SetAssociative<Mapping>>(storage_).for_each_made_in_set(key.page, may_match,
                                                                         visit);
    }

    std::uint64_t digest() {
        return std::visit([](auto& storage) { return storage.digest(); }, storage_);
    }
    bool operator==(const TranslationArray&) const = default;

private:
    using Storage = std::variant<SetAssociative<Mapping>, Unbounded<Mapping>>;

    template <typename Match>
    Mapping* find(const MappingKey& key, const Match& matches) {
        const auto may_match = [tag = MappingTag::of(key)](std::uint64_t held) {
            return MappingTag::same_page(held, tag);
        };
        return std::visit([&](auto& storage) { return storage.find(key.page, may_match, matches); },
                          storage_);
    }
    static Storage make_storage(const StructureParameters& parameters);
    const Holding* holding(MappingClass mapping_class, int level) const;
    void remember(const Mapping& mapping);
    void forget(const Mapping& mapping);

    std::string name_;
    std::vector<Holding> holds_;
    Storage storage_;
    std::size_t translations_{};
    std::size_t fractured_{};
    std::uint32_t pcids_kept_;
    std::vector<std::pair<std::uint16_t, Pcid>>
        recent_pcids_{};  ///< with their context, latest first
};

/// The class under which arrays hold a mapping.
MappingClass class_of(const Mapping& mapping);

}  // namespace nestwalk
