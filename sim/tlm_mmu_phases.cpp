// The approximately-timed side of a TlmMmu: the four phases of the base protocol, towards the
// initiator as a target, towards memory as an initiator. One process translates requests in order;
// what has been translated is in flight together.

#include "sim/tlm_mmu.h"

namespace nestwalk {

using tlm::tlm_generic_payload;

tlm::tlm_sync_enum TlmMmu::nb_transport_fw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        payload.set_dmi_allowed(false);
        if (payload.has_mm()) payload.acquire();
        requests_.notify(payload, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_RESP) {
        responding_ = false;
        response_over_.notify(delay);
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR("nestwalk/TlmMmu", "a phase that an initiator does not send");
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum TlmMmu::nb_transport_bw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        SC_REPORT_ERROR("nestwalk/TlmMmu", "a phase that a target does not send");
        return tlm::TLM_ACCEPTED;
    }
    if (requesting_ == &payload) {  // BEGIN_RESP without END_REQ accepts the request too
        requesting_ = nullptr;
        request_accepted_.notify(delay);
    }
    if (phase == tlm::BEGIN_RESP) {
        pending_.at(&payload).owes_end = true;
        responses_.notify(payload, delay);
    }
    return tlm::TLM_ACCEPTED;
}

// --- Requests -----------------------------------------------------------------------------------

void TlmMmu::take_requests() {
    for (;;) {
        wait(requests_.get_event());
        while (tlm_generic_payload* const payload = requests_.get_next_transaction()) {
            take_request(*payload);
        }
    }
}

void TlmMmu::take_request(tlm_generic_payload& payload) {
    Pending& pending = pending_[&payload];
    pending = {.linear = payload.get_address()};
    sc_core::sc_time delay;
    const std::optional<std::uint64_t> physical = translate(payload, delay);
    wait(delay);

    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time none;
    target->nb_transport_bw(payload, phase, none);
    if (!physical) return responses_.notify(payload, sc_core::SC_ZERO_TIME);
    payload.set_address(*physical);
    send_request(payload, pending);
}

void TlmMmu::send_request(tlm_generic_payload& payload, Pending& pending) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    requesting_ = &payload;
    switch (data->nb_transport_fw(payload, phase, delay)) {
        case tlm::TLM_ACCEPTED:
            while (requesting_ != nullptr) wait(request_accepted_);
            return;
        case tlm::TLM_UPDATED:
            requesting_ = nullptr;
            if (phase == tlm::BEGIN_RESP) {
                pending.owes_end = true;
                return responses_.notify(payload, delay);
            }
            return wait(delay);  // END_REQ
        case tlm::TLM_COMPLETED:
            requesting_ = nullptr;
            return responses_.notify(payload, delay);
    }
}

// --- Responses ----------------------------------------------------------------------------------

void TlmMmu::give_responses() {
    for (;;) {
        wait(responses_.get_event());
        while (tlm_generic_payload* const payload = responses_.get_next_transaction()) {
            give_response(*payload);
        }
    }
}

void TlmMmu::give_response(tlm_generic_payload& payload) {
    const Pending pending = pending_.at(&payload);
    pending_.erase(&payload);
    payload.set_address(pending.linear);
    payload.set_dmi_allowed(false);

    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    responding_ = true;
    if (target->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) {
        while (responding_) wait(response_over_);
    } else {  // TLM_UPDATED to END_RESP, or TLM_COMPLETED
        responding_ = false;
        wait(delay);
    }
    if (pending.owes_end) {
        phase = tlm::END_RESP;
        delay = sc_core::SC_ZERO_TIME;
        data->nb_transport_fw(payload, phase, delay);
    }
    if (payload.has_mm()) payload.release();
}

}  // namespace nestwalk
