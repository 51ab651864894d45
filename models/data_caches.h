#pragma once

// The data and instruction caches, as far as translation needs them: which level a line is found
// in. Page walks read through them, traced data where the experiment says so. Lines fill every
// level on their way in, evictions go nowhere, and no level includes another. Lines that other
// vCPUs write are not taken away.

#include "models/fill_id.h"
#include "models/machine.h"
#include "models/outcome.h"
#include "models/set_associative.h"
#include "models/system_parameters.h"

#include <cstdint>
#include <optional>

namespace nestwalk {

/// What is known of a line besides its tag, which is all of the state.
struct CacheLine {
    FillId filled_by{};  ///< bookkeeping, no part of the state

    std::uint64_t digest() const { return 0; }
    bool operator==(const CacheLine&) const { return true; }
};

inline constexpr std::uint64_t kLineBytes = 64;

/// One level, or the absence of one. A line's number is its physical address / kLineBytes.
class DataCache {
public:
    /// A line's number in its tag is above this bit.
    static constexpr int kNumberShift = 1;
    static constexpr std::uint64_t tag_of(std::uint64_t number) {
        return number << kNumberShift | 1;
    }

    DataCache() = default;
    explicit DataCache(const CacheParameters& parameters);

    bool exists() const { return lines_.has_value(); }
    /// The line, whose use this is; null if it is not here.
    const CacheLine* use(std::uint64_t number);
    /// Puts the line in. True if there was a way that had never held one.
    bool fill(std::uint64_t number, FillId by);
    void empty();

    template <typename Agree>
    bool all_pairs(const DataCache& other, Agree&& agree) const {
        return !lines_ || lines_->all_pairs(*other.lines_, agree);
    }
    std::uint64_t digest() { return lines_ ? lines_->digest() : 0; }
    bool operator==(const DataCache& other) const { return lines_ == other.lines_; }

    /// The storage, for an engine that looks up in bulk; null if the machine has none.
    SetAssociative<CacheLine>* lines() { return lines_ ? &*lines_ : nullptr; }

private:
    std::optional<SetAssociative<CacheLine>> lines_{};
};

/// The level that all vCPUs share.
struct SharedCache {
    DataCache l3{};
    /// What the outermost cache has room for counts as found there at its first use.
    CacheStart start{};

    bool operator==(const SharedCache&) const = default;
};

class DataCaches {
public:
    enum class Side : std::uint8_t { kData, kInstruction };

    DataCaches() = default;
    explicit DataCaches(const CacheHierarchyParameters& parameters);

    /// False if the machine has no caches: every line is in memory.
    bool any(const SharedCache& shared) const {
        return l1d_.exists() || l1i_.exists() || l2_.exists() || shared.l3.exists();
    }
    /// Reads the line of a host-physical address; `by` names the read.
    LineUse read(std::uint64_t physical, Side side, FillId by, SharedCache& shared);
    void empty();

    DataCache& first(Side side) { return side == Side::kData ? l1d_ : l1i_; }
    DataCache& second() { return l2_; }

    /// Of two equal ones: true if lines whose fills may be under way were filled equally long ago.
    bool same_fills(const DataCaches& other, FillWindow mine, FillWindow others) const;

    std::uint64_t digest();
    bool operator==(const DataCaches&) const = default;

private:
    DataCache l1d_{};
    DataCache l1i_{};
    DataCache l2_{};
};

}  // namespace nestwalk
