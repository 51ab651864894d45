#pragma once

// The L1D of the cycle engine as a TLM-2.0 target: lines come to it in program order, no closer
// than the line interval, and those of data hold an outstanding miss until they have.

#include "sim/cycle_flight.h"
#include "sim/cycle_flight_owner.h"
#include "sim/cycle_latencies.h"
#include "sim/cycle_memory.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace nestwalk {

class DataL1 final : public sc_core::sc_module {
public:
    DataL1(const sc_core::sc_module_name& name, const CycleLatencies& latencies,
           std::uint32_t outstanding_misses, FlightOwner& owner);

    /// The next `lines` lines in program order: the ticket of the first of them.
    std::uint64_t expect(std::size_t lines);
    /// True if the line of this ticket is the next to be requested; otherwise `flight` is resumed
    /// when it is.
    bool is_turn_of(std::uint64_t ticket, Flight& flight);

    /// A request for a line that is not in the L1D has to be the next in turn.
    tlm_utils::multi_passthrough_target_socket<DataL1> target{"target"};
    tlm_utils::simple_initiator_socket<DataL1> next{"next"};

private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void fetch_line(LineRequest& request, tlm::tlm_generic_payload& payload,
                    sc_core::sc_time& delay);

    Cycles hit_;
    Cycles interval_;
    Cycles last_come_;
    std::vector<Cycles> misses_;  ///< when each outstanding miss is over, oldest at next_miss_
    std::size_t next_miss_{};
    std::deque<Flight*> expected_{};  ///< lines to come, and who waits to request each
    std::uint64_t first_expected_{};
    FlightOwner& owner_;
};

}  // namespace nestwalk
