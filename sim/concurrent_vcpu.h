#pragma once

// A vCPU among others that run side by side: what it does next, and when that is due.

#include "models/operation.h"
#include "sim/cycles.h"
#include "sim/steal_times.h"
#include "traces/stream_block.h"

#include <cstdint>
#include <vector>

namespace nestwalk {

struct ConcurrentVcpu {
    enum class State : std::uint8_t {
        kReady,         ///< for its next record
        kGranted,       ///< was given the lock that it waited for
        kWaitsForLock,  ///< the one of its next record
        kAtBarrier,
        kEnded,  ///< or nothing to do until the next barrier
    };
    /// How its next record is executed.
    enum class Way : std::uint8_t {
        kAtOnce,
        kOneByOne,  ///< so many accesses
        kCompute,   ///< can be interrupted
        kOrdering,  ///< after everything earlier has completed
    };

    State state{};
    Way way{};
    const StreamRecord* record{};     ///< the next one
    const Operation* operation{};     ///< that it is, if it is one
    std::vector<Record> explained{};  ///< explanations of it
    std::uint64_t done{};             ///< of it: accesses, or cycles
    Record access{};                  ///< one of so many
    Cycles due{};                     ///< when the next step is
    bool started{};                   ///< has executed something
    Cycles not_before{};              ///< if it has not: it begins then
    Cycles waits_since{};             ///< for a lock
    Cycles granted{};                 ///< the lock was given back by the one before
    Cycles resumes{};                 ///< notices that
    StealTimes steal;

    bool watched() const { return record->joined || !explained.empty(); }
};

}  // namespace nestwalk
