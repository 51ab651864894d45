#pragma once

// The approximately timed ends of a platform: an initiator that sends requests as fast as they are
// accepted, and a memory with the four phases.

#include "tests/sim/tlm_platform.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace nestwalk::test {

/// Sends all its transactions; several may be under way.
class PhasedInitiator final : public sc_core::sc_module, private tlm::tlm_mm_interface {
public:
    explicit PhasedInitiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        socket.register_nb_transport_bw(this, &PhasedInitiator::nb_transport_bw);
        SC_THREAD(send);
    }

    tlm_utils::simple_initiator_socket<PhasedInitiator> socket{"socket"};
    std::vector<Transaction> transactions{};
    /// From a response to its END_RESP; zero: ends in the call.
    sc_core::sc_time response_accept{};
    std::size_t freed{};
    std::size_t ended{};

private:
    SC_HAS_PROCESS(PhasedInitiator);

    void free(tlm::tlm_generic_payload* payload) override {
        payload->reset();
        ++freed;
    }

    void send() {
        for (Transaction& transaction : transactions) {
            payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
            tlm::tlm_generic_payload& payload = *payloads_.back();
            payload.set_mm(this);
            payload.acquire();
            Initiator::fill(payload, transaction);
            transaction.begun = sc_core::sc_time_stamp();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            socket->nb_transport_fw(payload, phase, delay);
            wait(request_accepted_);
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_REQ) {
            request_accepted_.notify(delay);
            return tlm::TLM_ACCEPTED;
        }
        for (std::size_t at = 0; at < payloads_.size(); ++at) {
            if (payloads_[at].get() != &payload) continue;
            transactions[at].ended = sc_core::sc_time_stamp() + delay;
            transactions[at].status = payload.get_response_status();
            payload.clear_extension(&transactions[at].access);
            ++ended;
        }
        payload.release();
        phase = tlm::END_RESP;
        delay += response_accept;
        return response_accept == sc_core::SC_ZERO_TIME ? tlm::TLM_COMPLETED : tlm::TLM_UPDATED;
    }

    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_{};
    sc_core::sc_event request_accepted_{};
};

/// How a memory answers BEGIN_REQ.
enum class Answer : std::uint8_t {
    kEndRequestInCall,  ///< TLM_UPDATED to END_REQ
    kEndRequestLater,   ///< TLM_ACCEPTED, then END_REQ
    kResponseLater,     ///< TLM_ACCEPTED, then BEGIN_RESP, which stands for END_REQ too
    kResponseInCall,    ///< TLM_UPDATED to BEGIN_RESP
    kCompleted,         ///< TLM_COMPLETED
};

/// Reads give the address; requests are accepted every `accept`, answered after `latency`.
class PhasedMemory final : public sc_core::sc_module {
public:
    PhasedMemory(const sc_core::sc_module_name& name, Answer answer)
        : sc_core::sc_module(name), answer_(answer) {
        target.register_nb_transport_fw(this, &PhasedMemory::nb_transport_fw);
        SC_THREAD(accept_requests);
        SC_THREAD(respond);
    }

    tlm_utils::simple_target_socket<PhasedMemory> target{"target"};
    sc_core::sc_time accept{ns(2)};
    sc_core::sc_time latency{ns(50)};
    std::size_t ends_of_responses{};

private:
    SC_HAS_PROCESS(PhasedMemory);

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            ++ends_of_responses;
            return tlm::TLM_COMPLETED;
        }
        const std::uint64_t address = payload.get_address();
        if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &address, 8);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        switch (answer_) {
            case Answer::kEndRequestInCall:
                responses_.notify(payload, delay + latency);
                phase = tlm::END_REQ;
                delay += accept;
                return tlm::TLM_UPDATED;
            case Answer::kEndRequestLater:
                requests_.notify(payload, delay + accept);
                responses_.notify(payload, delay + latency);
                return tlm::TLM_ACCEPTED;
            case Answer::kResponseLater:
                responses_.notify(payload, delay + latency);
                return tlm::TLM_ACCEPTED;
            case Answer::kResponseInCall:
                phase = tlm::BEGIN_RESP;
                delay += latency;
                return tlm::TLM_UPDATED;
            case Answer::kCompleted:
                delay += latency;
                return tlm::TLM_COMPLETED;
        }
        return tlm::TLM_ACCEPTED;
    }
    void accept_requests() {
        for (;;) {
            wait(requests_.get_event());
            pass_on(requests_, tlm::END_REQ);
        }
    }
    void respond() {
        for (;;) {
            wait(responses_.get_event());
            pass_on(responses_, tlm::BEGIN_RESP);
        }
    }
    void pass_on(tlm_utils::peq_with_get<tlm::tlm_generic_payload>& queue, tlm::tlm_phase phase) {
        while (tlm::tlm_generic_payload* const payload = queue.get_next_transaction()) {
            tlm::tlm_phase sent = phase;
            sc_core::sc_time delay;
            target->nb_transport_bw(*payload, sent, delay);
        }
    }

    Answer answer_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_{"requests"};
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_{"responses"};
};

}  // namespace nestwalk::test
