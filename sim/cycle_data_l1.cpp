#include "sim/cycle_data_l1.h"

#include <algorithm>
#include <cassert>

namespace nestwalk {

DataL1::DataL1(const sc_core::sc_module_name& name, const CycleLatencies& latencies,
               std::uint32_t outstanding_misses, FlightOwner& owner)
    : sc_core::sc_module(name),
      hit_(latencies.l1d),
      interval_(latencies.line_interval),
      last_come_(Cycles{} - interval_),
      misses_(outstanding_misses),
      owner_(owner) {
    target.register_b_transport(this, &DataL1::b_transport);
}

std::uint64_t DataL1::expect(std::size_t lines) {
    const std::uint64_t first = first_expected_ + expected_.size();
    expected_.resize(expected_.size() + lines);
    return first;
}

bool DataL1::is_turn_of(std::uint64_t ticket, Flight& flight) {
    if (ticket == first_expected_) return true;
    expected_[ticket - first_expected_] = &flight;
    return false;
}

void DataL1::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    LineRequest& request = *payload.get_extension<LineRequest>();
    request.asked = request.wanted;
    if (request.source == LineSource::kL1) {
        request.come = std::max(request.wanted + hit_, request.under_way);
        delay += kernel_time_of(request.come - request.wanted);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    } else {
        fetch_line(request, payload, delay);
    }
}

void DataL1::fetch_line(LineRequest& request, tlm::tlm_generic_payload& payload,
                        sc_core::sc_time& delay) {
    assert(!expected_.empty());
    const bool holds_miss = request.holds == LineRequest::Holds::kOutstandingMiss;
    // Lines come in order, so the miss that began first is over first.
    if (holds_miss) request.asked = std::max(request.wanted, misses_[next_miss_]);
    const sc_core::sc_time before = delay;
    next->b_transport(payload, delay);
    const Cycles latency = cycles_of(delay - before);
    request.come = std::max(request.asked + latency, last_come_ + interval_);
    delay = before + kernel_time_of(request.come - request.wanted);
    last_come_ = request.come;
    if (holds_miss) {
        misses_[next_miss_] = request.come;
        next_miss_ = next_miss_ + 1 == misses_.size() ? 0 : next_miss_ + 1;
    }

    expected_.pop_front();
    ++first_expected_;
    if (!expected_.empty() && expected_.front() != nullptr) owner_.resume(*expected_.front());
}

}  // namespace nestwalk
