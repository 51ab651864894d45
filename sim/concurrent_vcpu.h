#pragma once

// A vCPU among others that run side by side: what it does next, and when that is due.

#include "models/operation.h"
#include "sim/cycles.h"
#include "sim/steal_times.h"
#include "traces/stream_block.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace nestwalk {

struct ConcurrentVcpu {
    enum class State : std::uint8_t {
        kReady,         ///< for its next record
        kGranted,       ///< was given the lock that it waited for
        kWaitsForLock,  ///< the one of its next record
        kInterrupting,  ///< waits for vCPUs to take its interrupts
        kAcknowledged,  ///< they have taken them
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

    /// Of a shootdown.
    struct Interrupt {
        Cycles arrival{};
        std::size_t sender{};
        Record taken{};  ///< what the vCPU executes that takes it
    };

    State state{};
    Way way{};
    const StreamRecord* record{};        ///< the next one
    const Operation* operation{};        ///< that it is, if it is one
    std::vector<Record> explained{};     ///< explanations of it
    std::uint64_t done{};                ///< of it: accesses, or cycles
    Record access{};                     ///< one of so many
    Cycles due{};                        ///< when the next step is
    bool started{};                      ///< has executed something
    Cycles not_before{};                 ///< if it has not: it begins then
    Cycles waits_since{};                ///< for a lock
    Cycles granted{};                    ///< what it waits for was there then
    Cycles resumes{};                    ///< it notices that
    std::vector<std::size_t> awaited{};  ///< vCPUs that have yet to take its interrupts
    std::deque<Interrupt> interrupts{};  ///< that it has yet to take, in order of arrival
    std::vector<std::string> masking{};  ///< locks that keep interrupts off, held or asked for
    StealTimes steal;

    /// When the next one comes that it would take.
    Cycles next_interrupt() const {
        const bool none = interrupts.empty() || !masking.empty();
        return none ? StealTimes::kNever : interrupts.front().arrival;
    }
    bool watched() const { return record->joined || !explained.empty(); }
};

}  // namespace nestwalk
