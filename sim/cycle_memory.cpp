#include "sim/cycle_memory.h"

#include <algorithm>

namespace nestwalk {

LinePort::LinePort(const char* socket_name, const CycleClock& clock)
    : socket(socket_name), clock_(clock) {
    payload_.set_read();
    payload_.set_data_length(64);
    payload_.set_streaming_width(64);
    payload_.set_extension(&request_);
}

LinePort::~LinePort() { payload_.clear_extension(&request_); }

const LineRequest& LinePort::read(LineSource source, LineRequest::Holds holds, Cycles wanted,
                                  Cycles under_way) {
    request_.source = source;
    request_.holds = holds;
    request_.wanted = wanted;
    request_.under_way = under_way;
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = clock_.until(wanted);
    socket->b_transport(payload_, delay);
    return request_;
}

MemoryLevel::MemoryLevel(const sc_core::sc_module_name& name, LineSource source, Cycles latency)
    : sc_core::sc_module(name), source_(source), latency_(kernel_time_of(latency)) {
    target.register_b_transport(this, &MemoryLevel::b_transport);
}

void MemoryLevel::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (next.size() != 0 && payload.get_extension<LineRequest>()->source != source_) {
        return next->b_transport(payload, delay);
    }
    delay += latency_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

InstructionL1::InstructionL1(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    target.register_b_transport(this, &InstructionL1::b_transport);
}

void InstructionL1::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    LineRequest& request = *payload.get_extension<LineRequest>();
    request.asked = request.wanted;
    if (request.source == LineSource::kL1) {
        request.come = std::max(request.wanted, request.under_way);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    const sc_core::sc_time before = delay;
    next->b_transport(payload, delay);
    request.come = request.wanted + cycles_of(delay - before);
}

}  // namespace nestwalk
