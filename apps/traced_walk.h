#pragma once

// One translation as a sequence that can be told: every entry read, what it was read for, what it
// said and what was cached then. The MMU reports what it did; this adds what a reader has to know
// to follow it.

#include "models/entry.h"
#include "models/outcome.h"
#include "models/regime.h"
#include "models/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

struct CachedStep {
    std::string array{};
    Mapping mapping{};
};

struct WalkStep {
    EntryRead read{};
    DecodedEntry entry{};
    std::uint64_t index{};  ///< of the entry in its table
    /// Nested walks: where a guest's entry is, or the address that a host's entry helps to
    /// translate.
    std::uint64_t guest_physical{};
    /// Of a host's entry: level of the guest's entry that is being located; 0 for the data.
    int locates{};
    std::string note{};  ///< which reads a cache made unnecessary just before; often empty
    std::vector<CachedStep> cached{};
};

struct TracedWalk {
    Access access{};
    Regime regime{};  ///< its memories are the system's
    bool in_guest{};
    std::string software{};  ///< the host or the virtual machine that runs
    std::string space{};
    Outcome outcome{};
    std::vector<CachedStep> cached_first{};  ///< before anything was read
    std::vector<WalkStep> steps{};
    std::string last_note{};               ///< as WalkStep::note, behind the last read
    std::optional<Mapping> translation{};  ///< the one that is now cached, or that the tables give
    std::vector<std::string>
        start_arrays{};  ///< that hold the paging-structure entry the walk started from

    /// A virtual machine that runs on shadow tables.
    bool in_shadow() const { return in_guest && !regime.nested; }
};

/// Performs `access`, one access of one page, on `system` and records how it went.
TracedWalk trace_walk(System& system, const Access& access);

/// The entry's name in the manuals: "PDE", under nested paging "gPDE", and "EPT PDE" or "nPDE" of
/// the host.
std::string entry_name(const Regime& regime, Dimension dimension, int level);

}  // namespace nestwalk
