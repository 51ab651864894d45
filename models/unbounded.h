#pragma once

// Storage that never replaces anything, with the interface of SetAssociative: what the `exact`
// machine is made of. Order of use leaves no trace in it, and it needs no tags.

#include "models/digest.h"
#include "models/machine.h"
#include "models/operation_error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace nestwalk {

template <typename Entry>
class Unbounded {
public:
    /// Where the memory of the host ends: some 200 MiB of mappings, enough for 8 GiB of 4-KiB
    /// pages.
    static constexpr std::size_t kMostEntries = std::size_t{1} << 21;

    template <typename MayMatch, typename Match>
    Entry* find(std::uint64_t page, MayMatch&&, Match&& matches) {
        const auto [first, end] = entries_.equal_range(page);
        for (auto at = first; at != end; ++at) {
            if (matches(at->second)) return &at->second;
        }
        return nullptr;
    }

    void touch(const Entry*) {}
    void changed(const Entry*, std::uint64_t /*tag*/) { digest_is_old_ = true; }

    /// Throws OperationError where kMostEntries are held already.
    template <typename OnEvict>
    void insert(std::uint64_t page, std::uint64_t /*tag*/, WayRange, const Entry& entry,
                OnEvict&&) {
        if (entries_.size() == kMostEntries) {
            throw OperationError("an unbounded array outgrows the model (2 Mi entries)");
        }
        entries_.emplace(page, entry);
        digest_is_old_ = true;
    }

    /// Removes an entry of `page` that find() returned.
    void erase(std::uint64_t page, const Entry* entry) {
        auto at = entries_.equal_range(page).first;
        while (&at->second != entry) ++at;
        entries_.erase(at);
        digest_is_old_ = true;
    }

    template <typename Match>
    void erase_if(Match&& matches) {
        for (auto at = entries_.begin(); at != entries_.end();) {
            at = matches(at->second) ? entries_.erase(at) : std::next(at);
        }
        digest_is_old_ = true;
    }

    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [page, entry] : entries_) visit(entry);
    }

    /// True if every pair of entries at the same place agrees; `other` is equal to this.
    template <typename Agree>
    bool all_pairs(const Unbounded& other, Agree&& agree) const {
        for (auto at = entries_.begin(); at != entries_.end();) {
            const auto mine = entries_.equal_range(at->first);
            const auto theirs = other.entries_.equal_range(at->first);
            if (!std::equal(
                    mine.first, mine.second, theirs.first, theirs.second,
                    [&](const auto& a, const auto& b) { return agree(a.second, b.second); }))
                return false;
            at = mine.second;
        }
        return true;
    }

    std::size_t size() const { return entries_.size(); }

    std::uint64_t digest() {
        if (digest_is_old_) {
            digest_ = 0;
            for (const auto& [page, entry] : entries_) digest_ ^= mix(page, entry.digest());
            digest_is_old_ = false;
        }
        return digest_;
    }

    /// Where several entries share a page, their order decides which is found first, so it counts.
    bool operator==(const Unbounded& other) const {
        if (entries_.size() != other.entries_.size()) return false;
        for (auto at = entries_.begin(); at != entries_.end();) {
            const auto mine = entries_.equal_range(at->first);
            const auto theirs = other.entries_.equal_range(at->first);
            if (!std::equal(mine.first, mine.second, theirs.first, theirs.second)) return false;
            at = mine.second;
        }
        return true;
    }

private:
    std::unordered_multimap<std::uint64_t, Entry> entries_{};
    std::uint64_t digest_{};
    bool digest_is_old_{};
};

}  // namespace nestwalk
