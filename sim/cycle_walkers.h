#pragma once

// The page walkers of a vCPU of the cycle engine. Each is a process that takes a walk, makes its
// look-ups and reads one after another, running ahead of the clock, and is free again when the
// clock reaches the end of the walk.

#include "sim/cycle_data_l1.h"
#include "sim/cycle_flight.h"
#include "sim/cycle_flight_table.h"
#include "sim/cycle_latencies.h"
#include "sim/cycle_memory.h"
#include "sim/cycle_tally.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <systemc>

namespace nestwalk {

/// When the walker is taken: after the STLB look-up, or for its length too.
enum class WalkerHold : std::uint8_t { kWalk, kStlbLookupAndWalk };

/// What walkers share.
struct WalkerContext {
    const CycleClock& clock;
    const CycleLatencies& latencies;
    WalkerHold hold{};
    FlightTable& flights;
    DataL1& l1d;
    CycleTally& tally;
    FlightOwner& owner;
};

class WalkerPool;

class Walker final : public sc_core::sc_module {
public:
    Walker(const sc_core::sc_module_name& name, const WalkerContext& context, WalkerPool& pool);

    bool idle() const { return flight_ == nullptr && !resting_; }
    Cycles free_at() const { return free_at_; }
    bool has(const Flight& flight) const { return flight_ == &flight; }
    /// Reserves the walker for a walk that may not be asked for yet.
    void take(Flight& flight);
    /// The walk has been asked for, or what it waited for has come.
    void go_on();
    /// The clock was set, and no walk is under way.
    void clock_was_set();
    void abandon() { wake_.cancel(); }

    LinePort port;

private:
    SC_HAS_PROCESS(Walker);
    void act();
    void start();
    bool make_step(const WalkStep& step);
    bool read_entry(const WalkStep& step);
    void end();
    void rest();

    WalkerContext context_;
    WalkerPool& pool_;
    sc_core::sc_event wake_{"wake"};
    Flight* flight_{};
    bool walking_{};
    bool resting_{};  ///< until the clock reaches the end of its last walk
    Cycles begun_{};
    Cycles at_{};  ///< how far the walk has come
    Cycles free_at_{};
};

class WalkerPool {
public:
    WalkerPool(std::uint32_t walkers, const WalkerContext& context);

    std::vector<std::unique_ptr<Walker>>& walkers() { return walkers_; }
    /// The next walk in program order.
    void queue(Flight& flight);
    /// The flight has asked for its walker, or can go on walking.
    void go_on(const Flight& flight);
    void freed() { assign(); }
    /// The clock was set, and no walk is under way.
    void clock_was_set();

private:
    void assign();

    std::vector<std::unique_ptr<Walker>> walkers_{};
    std::deque<Flight*> queue_{};
};

}  // namespace nestwalk
