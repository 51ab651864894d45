#pragma once

// What a walk of an address would read and cache as the tables are now, without doing either.

#include "models/regime.h"
#include "models/walk.h"

#include <vector>

namespace nestwalk {

class WalkRehearsal {
public:
    /// From `start`, a paging-structure entry that leads to the address, or from the root where it
    /// is null. False if the walk faults.
    bool run(const Regime& regime, VirtAddr va, const Mapping* start);

    /// In the order in which they would be.
    const std::vector<EntryAddress>& reads() const { return reads_; }
    const std::vector<Mapping>& fills() const { return fills_; }
    /// The translation, of the size that both dimensions allow.
    const Mapping& result() const { return result_; }
    /// Every entry has A set that would get it.
    bool all_accessed() const { return all_accessed_; }

private:
    std::vector<EntryAddress> reads_{};
    std::vector<Mapping> fills_{};
    Mapping result_{};
    bool all_accessed_{};
};

}  // namespace nestwalk
