#pragma once

// Everything that is counted, as one flat array that can be added, subtracted and multiplied: a
// phase is a difference, a collapsed loop a product. Names, units and descriptions are in
// `counter_infos()`.

#include "models/exit_reason.h"
#include "models/fault.h"
#include "models/operation.h"
#include "models/page_size.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

inline constexpr std::size_t kAccessKinds = 3;
inline constexpr std::size_t kSizeColumns = 4;  ///< 4K, 2M, 1G, and none where a fault left it open
inline constexpr std::size_t kStarts = 5;       ///< pde, pdpte, pml4e, pml5e, root
inline constexpr std::size_t kLookupGroups = 3;  ///< StructureLookup::Group
inline constexpr std::size_t kLineSources = 4;   ///< L1, L2, L3, memory

/// What an instruction did in the time by which it held up retirement.
enum class CycleCause : std::uint8_t {
    kBase,
    kWalk,
    kStlb,
    kData,
    kFetch,
    kFlush,
    kExit,
    kFence,
    kFault,
    // Of a vCPU that waits for others, or for its turn.
    kLock,
    kIpi,
    kSteal,
    kIdle,
};
inline constexpr std::size_t kCycleCauses = 13;

/// Walks by their latency, in whole cycles: the bounds below which each bucket ends; the last has
/// none.
inline constexpr std::array<std::int64_t, 8> kWalkBucketBounds{16, 32, 64, 128, 256, 512, 1024, 0};
inline constexpr std::size_t kWalkBuckets = kWalkBucketBounds.size();

/// Where each group of counters begins. Groups with several dimensions are row-major.
namespace counter {
inline constexpr std::size_t kReferences = 0;                                      // [kind]
inline constexpr std::size_t kTranslations = kReferences + kAccessKinds;           // [kind]
inline constexpr std::size_t kL1Hits = kTranslations + kAccessKinds;               // [kind][size]
inline constexpr std::size_t kL1Misses = kL1Hits + kAccessKinds * kSizeColumns;    // [kind][size]
inline constexpr std::size_t kStlbHits = kL1Misses + kAccessKinds * kSizeColumns;  // [kind][size]
inline constexpr std::size_t kStlbMisses = kStlbHits + kAccessKinds * kSizeColumns;
inline constexpr std::size_t kWalks = kStlbMisses + kAccessKinds * kSizeColumns;  // [kind]
inline constexpr std::size_t kWalkStarts = kWalks + kAccessKinds;                 // [start]
inline constexpr std::size_t kGuestReads = kWalkStarts + kStarts;                 // [level - 1]
inline constexpr std::size_t kHostReads = kGuestReads + kMaxLevels;               // [level - 1]
inline constexpr std::size_t kAccessedWrites = kHostReads + kMaxLevels;           // [dimension]
inline constexpr std::size_t kDirtyWrites = kAccessedWrites + 2;                  // [dimension]
inline constexpr std::size_t kLookups = kDirtyWrites + 2;                         // [group]
inline constexpr std::size_t kWalkLines = kLookups + kLookupGroups;               // [source]
inline constexpr std::size_t kDataLines = kWalkLines + kLineSources;              // [source]
inline constexpr std::size_t kFlushesAsked = kDataLines + kLineSources;           // [scope]
inline constexpr std::size_t kFlushesPerformed = kFlushesAsked + 3;               // [scope]
inline constexpr std::size_t kDropped = kFlushesPerformed + 3;                    // [what]
inline constexpr std::size_t kFracturedFills = kDropped + 5;
inline constexpr std::size_t kFractureFlushes = kFracturedFills + 1;
inline constexpr std::size_t kCoalescedFills = kFractureFlushes + 1;
inline constexpr std::size_t kSmashFlushes = kCoalescedFills + 1;
inline constexpr std::size_t kStaleHits = kSmashFlushes + 1;
inline constexpr std::size_t kStaleRightsHits = kStaleHits + 1;
inline constexpr std::size_t kStaleWalks = kStaleRightsHits + 1;
inline constexpr std::size_t kAmbiguousHits = kStaleWalks + 1;
inline constexpr std::size_t kRightsRewalks = kAmbiguousHits + 1;
inline constexpr std::size_t kFaultRewalks = kRightsRewalks + 1;
inline constexpr std::size_t kDirtyAssists = kFaultRewalks + 1;
inline constexpr std::size_t kFaults = kDirtyAssists + 1;  // [fault kind]
inline constexpr std::size_t kExits = kFaults + kFaultKinds - 1;
inline constexpr std::size_t kExitsByReason = kExits + 1;  // [reason]
inline constexpr std::size_t kIpis = kExitsByReason + kExitReasons;
inline constexpr std::size_t kInterrupts = kIpis + 1;
inline constexpr std::size_t kOperations = kInterrupts + 1;  // [variant index]
// Of time, in thousandths of their unit.
inline constexpr std::size_t kCycles = kOperations + std::variant_size_v<Operation>;
inline constexpr std::size_t kCyclesByCause = kCycles + 1;  // [cause]
inline constexpr std::size_t kWalkPending = kCyclesByCause + kCycleCauses;
inline constexpr std::size_t kWalkActive = kWalkPending + 1;
inline constexpr std::size_t kWalkLatency = kWalkActive + 1;  // [kind]
inline constexpr std::size_t kTscBetweenReads = kWalkLatency + kAccessKinds;
inline constexpr std::size_t kLocksHeld = kTscBetweenReads + 1;
inline constexpr std::size_t kLocksBlocked = kLocksHeld + 1;
// Of events that only a clock can tell.
inline constexpr std::size_t kTimedWalks = kLocksBlocked + 1;              // [kind]
inline constexpr std::size_t kWalkHistogram = kTimedWalks + kAccessKinds;  // [bucket]
inline constexpr std::size_t kHitsOnPending = kWalkHistogram + kWalkBuckets;
// Of events that depend on which vCPU is how far.
inline constexpr std::size_t kLocksAcquired = kHitsOnPending + 1;
inline constexpr std::size_t kLocksContended = kLocksAcquired + 1;
inline constexpr std::size_t kSteals = kLocksContended + 1;
inline constexpr std::size_t kCount = kSteals + 1;

/// True if the counter is in thousandths of its unit.
constexpr bool is_time(std::size_t index) { return index >= kCycles && index < kTimedWalks; }
/// True if only an engine with a clock counts it.
constexpr bool needs_clock(std::size_t index) { return index >= kCycles; }
/// True if only an engine that runs vCPUs side by side does.
constexpr bool needs_common_time(std::size_t index) {
    return index == kLocksHeld || index == kLocksBlocked || index >= kLocksAcquired;
}
}  // namespace counter

class Counters {
public:
    std::uint64_t operator[](std::size_t index) const { return values_[index]; }
    std::uint64_t& operator[](std::size_t index) { return values_[index]; }

    Counters& operator+=(const Counters& other);
    /// No counter of `other` is larger.
    Counters& operator-=(const Counters& other);
    /// Adds `rounds` times what has been counted since `earlier`. Throws OperationError on
    /// overflow.
    void repeat_since(const Counters& earlier, std::uint64_t rounds);
    bool operator==(const Counters&) const = default;

private:
    std::array<std::uint64_t, counter::kCount> values_{};
};

struct CounterInfo {
    std::string name{};  ///< dotted: "stlb.misses.load.4K"; "" if this counter is never used
    std::string unit{};
    std::string description{};
};

/// One entry a counter, in the order of the indices.
const std::vector<CounterInfo>& counter_infos();

/// The counters that a name in an `expect` record means: one counter ("stale_hits"; the singular
/// will do), or a group whose members are added up ("stlb.misses", "faults"). Empty if there is
/// none.
std::vector<std::size_t> counters_named(const std::string& name);

}  // namespace nestwalk
