#pragma once

// Set-associative storage: sets of ways, an index hash and a replacement policy. It is told nothing
// of what an entry means; `Entry` needs operator== and digest(). Entries are found by tag, a word
// that is not 0 and is part of what they are; the tags of a set stand next to each other, apart
// from the entries, so that a look-up reads little.

#include "models/digest.h"
#include "models/machine.h"
#include "models/replacement.h"
#include "models/set_lanes.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nestwalk {

template <typename Entry>
class SetAssociative {
public:
    SetAssociative(std::uint32_t sets, std::uint32_t ways, IndexHash hash, Replacement replacement)
        : sets_(sets),
          ways_(ways),
          hash_(hash),
          sets_are_power_of_two_((sets & (sets - 1)) == 0),
          sets_shift_(__builtin_ctz(sets)),
          ways_reciprocal_((std::uint64_t{1} << kReciprocalShift) / ways + 1),
          replacement_(std::move(replacement)),
          tags_(std::size_t{sets} * ways + SetLanes::kSlack),
          entries_(std::size_t{sets} * ways),
          entry_tags_(entries_.size()),
          set_digests_(sets),
          old_digests_((std::size_t{sets} + 63) / 64) {
        for (std::uint32_t set = 0; set < sets; ++set) set_changed(set);
    }

    /// The entry of `page`'s set that has a tag that `may_match` and `matches`, lowest way first;
    /// null if there is none.
    template <typename MayMatch, typename Match>
    Entry* find(std::uint64_t page, MayMatch&& may_match, Match&& matches) {
        const std::size_t first = std::size_t{set_of(page)} * ways_;
        const std::uint64_t* const tags = tags_.data() + first;
        for (std::uint32_t way = 0; way < ways_; ++way) {
            if (may_match(tags[way]) && matches(entries_[first + way]))
                return &entries_[first + way];
        }
        return nullptr;
    }

    /// A use of an entry that find() returned.
    void touch(const Entry* entry) {
        const auto [set, way] = place(entry);
        replacement_.hit(set, way);
        set_changed(set);
    }

    /// To be called after an entry that find() returned was changed in place.
    void changed(const Entry* entry, std::uint64_t tag) {
        tags_[position(entry)] = entry_tags_[position(entry)] = tag;
        set_changed(place(entry).set);
    }

    /// Fills the first free way of the allowed range, or else replaces the policy's victim.
    /// `on_evict` is called with an entry that is replaced.
    template <typename OnEvict>
    void insert(std::uint64_t page, std::uint64_t tag, WayRange allowed, const Entry& entry,
                OnEvict&& on_evict) {
        const std::uint32_t set = set_of(page);
        const std::uint32_t way = free_way(set, allowed);
        const std::size_t at = std::size_t{set} * ways_ + way;
        if (tags_[at] != 0) {
            on_evict(entries_[at]);
        } else {
            ++size_;
        }
        tags_[at] = entry_tags_[at] = tag;
        entries_[at] = entry;
        replacement_.fill(set, way);
        set_changed(set);
    }

    /// Removes an entry that find() returned; the replacement state stays as it is.
    void erase(std::uint64_t /*page*/, const Entry* entry) {
        tags_[position(entry)] = entry_tags_[position(entry)] = 0;
        --size_;
        set_changed(place(entry).set);
    }

    /// Removes every entry for which `matches` is true; the replacement state stays as it is.
    template <typename Match>
    void erase_if(Match&& matches) {
        std::size_t left = size_;
        for (std::size_t at = 0; left > 0; ++at) {
            if (tags_[at] == 0) continue;
            --left;
            if (!matches(entries_[at])) continue;
            tags_[at] = entry_tags_[at] = 0;
            --size_;
            set_changed(static_cast<std::uint32_t>(at / ways_));
        }
    }

    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (tags_[at] != 0) visit(entries_[at]);
        }
    }

    /// True if every pair of entries at the same place agrees; `other` is equal to this.
    template <typename Agree>
    bool all_pairs(const SetAssociative& other, Agree&& agree) const {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (tags_[at] != 0 && !agree(entries_[at], other.entries_[at])) return false;
        }
        return true;
    }

    std::size_t size() const { return size_; }

    // --- For engines that look up in bulk -------------------------------------------------------

    SetLanes lanes(int number_shift) {
        return {.tags = tags_.data(),
                .words = replacement_.words(),
                .uses = replacement_.uses(),
                .replacement = &replacement_,
                .size = &size_,
                .sets = sets_,
                .ways = ways_,
                .index = hash_,
                .policy = replacement_.policy(),
                .number_shift = number_shift};
    }
    /// Makes the entries of tags that were put in without. `gone` is called with each entry that
    /// these replaced, `come` with each that is made.
    template <typename Make, typename Gone, typename Come>
    void settle(const Make& make, const Gone& gone, const Come& come) {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (tags_[at] == entry_tags_[at]) continue;
            if (entry_tags_[at] != 0) gone(entries_[at]);
            entries_[at] = make(tags_[at]);
            entry_tags_[at] = tags_[at];
            come(entries_[at]);
        }
    }
    /// To be called after a set, or any of them, was changed through its lanes.
    void note_changed(std::uint32_t set) { set_changed(set); }
    void note_all_changed() {
        for (std::uint32_t set = 0; set < sets_; ++set) set_changed(set);
    }
    std::uint32_t set_of(std::uint64_t page) const {
        if (hash_ == IndexHash::kXorFold) {
            // Sets are a power of two: the next higher group of index bits is folded onto the
            // lowest.
            const std::uint64_t mask = sets_ - 1;
            return static_cast<std::uint32_t>((page ^ page >> sets_shift_) & mask);
        }
        return static_cast<std::uint32_t>(sets_are_power_of_two_ ? page & (sets_ - 1)
                                                                 : page % sets_);
    }
    /// Every entry of `page`'s set whose tag `may_match`.
    template <typename MayMatch, typename Visit>
    void for_each_in_set(std::uint64_t page, MayMatch&& may_match, Visit&& visit) {
        const std::size_t first = std::size_t{set_of(page)} * ways_;
        for (std::size_t at = first; at < first + ways_; ++at) {
            if (may_match(tags_[at])) visit(entries_[at]);
        }
    }

    /// The same without those that settle() has yet to make.
    template <typename MayMatch, typename Visit>
    void for_each_made_in_set(std::uint64_t page, MayMatch&& may_match, Visit&& visit) {
        const std::size_t first = std::size_t{set_of(page)} * ways_;
        for (std::size_t at = first; at < first + ways_; ++at) {
            if (may_match(tags_[at]) && tags_[at] == entry_tags_[at]) visit(entries_[at]);
        }
    }

    /// Digest of entries and replacement state; only sets that changed since the last call are
    /// read.
    std::uint64_t digest() {
        for (std::size_t word = 0; word < old_digests_.size(); ++word) {
            for (std::uint64_t left = old_digests_[word]; left != 0; left &= left - 1) {
                const std::size_t set = word * 64 + static_cast<std::size_t>(__builtin_ctzll(left));
                digest_ ^= set_digests_[set];
                set_digests_[set] = digest_of(static_cast<std::uint32_t>(set));
                digest_ ^= set_digests_[set];
            }
            old_digests_[word] = 0;
        }
        return digest_ ^ replacement_.common_digest();
    }

    bool operator==(const SetAssociative& other) const {
        if (size_ != other.size_ || replacement_ != other.replacement_) return false;
        if (tags_ != other.tags_) return false;
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (tags_[at] != 0 && !(entries_[at] == other.entries_[at])) return false;
        }
        return true;
    }

private:
    /// Exact for entries * ways below 2^40: a TLB has thousands, a cache millions.
    static constexpr int kReciprocalShift = 40;

    struct Place {
        std::uint32_t set{};
        std::uint32_t way{};
    };

    std::size_t position(const Entry* entry) const {
        return static_cast<std::size_t>(entry - entries_.data());
    }
    Place place(const Entry* entry) const {
        // A division by the ways, which takes longer than all else that a hit needs.
        const std::uint64_t at = position(entry);
        const std::uint64_t set = at * ways_reciprocal_ >> kReciprocalShift;
        return {static_cast<std::uint32_t>(set), static_cast<std::uint32_t>(at - set * ways_)};
    }

    std::uint32_t free_way(std::uint32_t set, WayRange allowed) {
        if (allowed.count == 0) allowed.count = ways_ - allowed.first;
        const std::uint64_t* const tags = tags_.data() + std::size_t{set} * ways_;
        for (std::uint32_t way = allowed.first; way < allowed.first + allowed.count; ++way) {
            if (tags[way] == 0) return way;
        }
        return replacement_.victim(set, allowed);
    }

    void set_changed(std::uint32_t set) { old_digests_[set / 64] |= std::uint64_t{1} << set % 64; }

    std::uint64_t digest_of(std::uint32_t set) const {
        std::uint64_t digest = mix(set, replacement_.digest(set));
        for (std::uint32_t way = 0; way < ways_; ++way) {
            const std::size_t at = std::size_t{set} * ways_ + way;
            if (tags_[at] != 0) digest ^= mix(way, tags_[at] ^ entries_[at].digest());
        }
        return digest;
    }

    std::uint32_t sets_;
    std::uint32_t ways_;
    IndexHash hash_;
    bool sets_are_power_of_two_;
    int sets_shift_;  ///< log2 of the sets, if so
    std::uint64_t ways_reciprocal_;
    Replacement replacement_;
    std::vector<std::uint64_t> tags_;  ///< 0 of a way that holds nothing
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> entry_tags_;  ///< of `entries_`; another one than in `tags_` if late
    std::size_t size_{};
    std::vector<std::uint64_t> set_digests_;
    std::vector<std::uint64_t> old_digests_;  ///< bit n: set n changed since its digest was taken
    std::uint64_t digest_{};
};

}  // namespace nestwalk
