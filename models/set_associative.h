#pragma once

// Set-associative storage: sets of ways, an index hash and a replacement policy. It is told nothing
// of what an entry means; `Entry` needs operator== and digest().

#include "models/digest.h"
#include "models/machine.h"
#include "models/replacement.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwalk {

template <typename Entry>
class SetAssociative {
public:
    SetAssociative(std::uint32_t sets, std::uint32_t ways, IndexHash hash, Replacement replacement)
        : sets_(sets),
          ways_(ways),
          ways_shift_(__builtin_ctz(ways)),
          ways_are_power_of_two_((ways & (ways - 1)) == 0),
          hash_(hash),
          replacement_(std::move(replacement)),
          entries_(std::size_t{sets} * ways),
          valid_(entries_.size()),
          set_digests_(sets),
          digest_is_old_(sets) {
        for (std::uint32_t set = 0; set < sets; ++set) set_changed(set);
    }

    /// The entry of `page`'s set that `matches`, lowest way first; null if there is none.
    template <typename Match>
    Entry* find(std::uint64_t page, Match&& matches) {
        const std::size_t first = std::size_t{set_of(page)} * ways_;
        for (std::size_t at = first; at < first + ways_; ++at) {
            if (valid_[at] != 0 && matches(entries_[at])) return &entries_[at];
        }
        return nullptr;
    }

    /// A use of an entry that find() returned.
    void touch(const Entry* entry) {
        const std::uint32_t at = position(entry);
        const std::uint32_t set = set_at(at);
        replacement_.hit(set, at - set * ways_);
        set_changed(set);
    }

    /// To be called after an entry that find() returned was changed in place.
    void changed(const Entry* entry) { set_changed(set_at(position(entry))); }

    /// Fills the first free way of the allowed range, or else replaces the policy's victim.
    /// `on_evict` is called with an entry that is replaced.
    template <typename OnEvict>
    void insert(std::uint64_t page, WayRange allowed, const Entry& entry, OnEvict&& on_evict) {
        const std::uint32_t set = set_of(page);
        const std::uint32_t way = free_way(set, allowed);
        const std::size_t at = std::size_t{set} * ways_ + way;
        if (valid_[at] != 0) {
            on_evict(entries_[at]);
        } else {
            valid_[at] = 1;
            ++size_;
        }
        entries_[at] = entry;
        replacement_.fill(set, way);
        set_changed(set);
    }

    /// Removes an entry that find() returned; the replacement state stays as it is.
    void erase(std::uint64_t /*page*/, const Entry* entry) {
        const std::uint32_t at = position(entry);
        valid_[at] = 0;
        --size_;
        set_changed(at / ways_);
    }

    /// Removes every entry for which `matches` is true; the replacement state stays as it is.
    template <typename Match>
    void erase_if(Match&& matches) {
        std::size_t left = size_;
        for (std::size_t at = 0; left > 0; ++at) {
            if (valid_[at] == 0) continue;
            --left;
            if (!matches(entries_[at])) continue;
            valid_[at] = 0;
            --size_;
            set_changed(static_cast<std::uint32_t>(at / ways_));
        }
    }

    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (valid_[at] != 0) visit(entries_[at]);
        }
    }

    /// True if every pair of entries at the same place agrees; `other` is equal to this.
    template <typename Agree>
    bool all_pairs(const SetAssociative& other, Agree&& agree) const {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (valid_[at] != 0 && !agree(entries_[at], other.entries_[at])) return false;
        }
        return true;
    }

    std::size_t size() const { return size_; }

    /// Digest of entries and replacement state; only sets that changed since the last call are
    /// read.
    std::uint64_t digest() {
        for (const std::uint32_t set : old_digests_) {
            digest_ ^= set_digests_[set];
            set_digests_[set] = digest_of(set);
            digest_ ^= set_digests_[set];
            digest_is_old_[set] = 0;
        }
        old_digests_.clear();
        return digest_ ^ replacement_.common_digest();
    }

    bool operator==(const SetAssociative& other) const {
        if (valid_ != other.valid_ || replacement_ != other.replacement_) return false;
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (valid_[at] != 0 && entries_[at] != other.entries_[at]) return false;
        }
        return true;
    }

private:
    std::uint32_t set_of(std::uint64_t page) const {
        if (hash_ == IndexHash::kXorFold) {
            // Sets are a power of two: the next higher group of index bits is folded onto the
            // lowest.
            const std::uint64_t mask = sets_ - 1;
            return static_cast<std::uint32_t>((page & mask) ^ ((page / sets_) & mask));
        }
        return static_cast<std::uint32_t>(page % sets_);
    }

    /// Nearly all arrays have a power of two ways, and a division takes longer than the rest.
    std::uint32_t set_at(std::uint32_t at) const {
        return ways_are_power_of_two_ ? at >> ways_shift_ : at / ways_;
    }

    std::uint32_t position(const Entry* entry) const {
        return static_cast<std::uint32_t>(entry - entries_.data());
    }

    std::uint32_t free_way(std::uint32_t set, WayRange allowed) {
        if (allowed.count == 0) allowed.count = ways_ - allowed.first;
        const std::size_t first = std::size_t{set} * ways_;
        for (std::uint32_t way = allowed.first; way < allowed.first + allowed.count; ++way) {
            if (valid_[first + way] == 0) return way;
        }
        return replacement_.victim(set, allowed);
    }

    void set_changed(std::uint32_t set) {
        if (digest_is_old_[set] != 0) return;
        digest_is_old_[set] = 1;
        old_digests_.push_back(set);
    }

    std::uint64_t digest_of(std::uint32_t set) const {
        std::uint64_t digest = mix(set, replacement_.digest(set));
        for (std::uint32_t way = 0; way < ways_; ++way) {
            const std::size_t at = std::size_t{set} * ways_ + way;
            if (valid_[at] != 0) digest ^= mix(way, entries_[at].digest());
        }
        return digest;
    }

    std::uint32_t sets_;
    std::uint32_t ways_;
    int ways_shift_;
    bool ways_are_power_of_two_;
    IndexHash hash_;
    Replacement replacement_;
    std::vector<Entry> entries_;
    std::vector<std::uint8_t> valid_;
    std::size_t size_{};
    std::vector<std::uint64_t> set_digests_;
    std::vector<std::uint8_t> digest_is_old_;
    std::vector<std::uint32_t> old_digests_{};
    std::uint64_t digest_{};
};

}  // namespace nestwalk
