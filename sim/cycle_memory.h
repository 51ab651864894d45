#pragma once

// The memory hierarchy of the cycle engine as TLM-2.0 targets. The models have decided in which
// level a line is found; a request carries that, and the targets answer with time.

#include "models/outcome.h"
#include "sim/cycle_clock.h"
#include "sim/cycles.h"

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace nestwalk {

/// What a request for a line is about.
struct LineRequest final : tlm::tlm_extension<LineRequest> {
    enum class Holds : std::uint8_t { kNothing, kOutstandingMiss };

    LineSource source{};  ///< where the models found it
    Holds holds{};        ///< from when it is asked for until it has come
    Cycles wanted{};
    Cycles under_way{};  ///< of a line found in the L1: when it comes there
    Cycles asked{};      ///< the answer: later than wanted where nothing was free
    Cycles come{};       ///< the answer

    tlm::tlm_extension_base* clone() const override { return new LineRequest(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const LineRequest&>(other);
    }
};

/// Sends requests for lines. Its payload is made once and used for all of them.
class LinePort {
public:
    LinePort(const char* socket_name, const CycleClock& clock);
    LinePort(const LinePort&) = delete;
    LinePort& operator=(const LinePort&) = delete;
    ~LinePort();

    /// The request as it was answered.
    const LineRequest& read(LineSource source, LineRequest::Holds holds, Cycles wanted,
                            Cycles under_way);

    tlm_utils::simple_initiator_socket<LinePort> socket;

private:
    const CycleClock& clock_;
    tlm::tlm_generic_payload payload_{};
    LineRequest request_{};
};

/// The L2, the L3 or memory: takes its latency for a line found here, passes other requests on. The
/// last level has every line.
class MemoryLevel final : public sc_core::sc_module {
public:
    MemoryLevel(const sc_core::sc_module_name& name, LineSource source, Cycles latency);

    tlm_utils::multi_passthrough_target_socket<MemoryLevel> target{"target"};
    tlm_utils::simple_initiator_socket_optional<MemoryLevel> next{"next"};

private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    LineSource source_;
    sc_core::sc_time latency_;
};

/// The L1I. A line found there takes no time of its own.
class InstructionL1 final : public sc_core::sc_module {
public:
    explicit InstructionL1(const sc_core::sc_module_name& name);

    tlm_utils::multi_passthrough_target_socket<InstructionL1> target{"target"};
    tlm_utils::simple_initiator_socket<InstructionL1> next{"next"};

private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
};

}  // namespace nestwalk
