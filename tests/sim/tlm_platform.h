#pragma once

// A small virtual platform for tests of TlmMmu: one memory for page tables and data, and an
// initiator that is given its transactions by a test, loosely or approximately timed.

#include "sim/tlm_mmu.h"
#include "tests/models/machines.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace nestwalk::test {

inline sc_core::sc_time ns(double time) { return {time, sc_core::SC_NS}; }

/// Whether a target of b_transport adds its latency to the delay or waits for it.
enum class Annotation : std::uint8_t { kDelay, kWait };

/// Memory by bytes. Addresses from `beyond` on are an error.
class PlatformMemory final : public sc_core::sc_module {
public:
    explicit PlatformMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        target.register_b_transport(this, &PlatformMemory::b_transport);
        target.register_transport_dbg(this, &PlatformMemory::transport_dbg);
    }

    std::uint64_t entry(std::uint64_t address) const {
        std::uint64_t raw = 0;
        for (std::uint64_t byte = 8; byte-- > 0;) raw = raw << 8 | at(address + byte);
        return raw;
    }
    void set_entry(std::uint64_t address, std::uint64_t raw) {
        for (std::uint64_t byte = 0; byte < 8; ++byte) {
            bytes_[address + byte] = static_cast<unsigned char>(raw >> (8 * byte));
        }
    }

    tlm_utils::multi_passthrough_target_socket<PlatformMemory> target{"target"};
    sc_core::sc_time latency{ns(50)};
    Annotation annotation{};
    std::uint64_t beyond{~std::uint64_t{}};
    std::vector<std::uint64_t> addresses{};  ///< of the transactions so far

private:
    unsigned char at(std::uint64_t address) const {
        const auto found = bytes_.find(address);
        return found == bytes_.end() ? std::uint8_t{} : found->second;
    }
    void move(tlm::tlm_generic_payload& payload) {
        for (unsigned int byte = 0; byte < payload.get_data_length(); ++byte) {
            unsigned char& data = payload.get_data_ptr()[byte];
            if (payload.is_write()) bytes_[payload.get_address() + byte] = data;
            if (payload.is_read()) data = at(payload.get_address() + byte);
        }
    }
    void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        addresses.push_back(payload.get_address());
        if (payload.get_address() >= beyond) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        move(payload);
        payload.set_dmi_allowed(true);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (annotation == Annotation::kDelay) {
            delay += latency;
        } else {
            wait(delay + latency);
            delay = sc_core::SC_ZERO_TIME;
        }
    }
    unsigned int transport_dbg(int, tlm::tlm_generic_payload& payload) {
        move(payload);
        return payload.get_data_length();
    }

    std::map<std::uint64_t, unsigned char> bytes_{};
};

/// One transaction and what became of it.
struct Transaction {
    tlm::tlm_command command{tlm::TLM_READ_COMMAND};
    std::uint64_t address{};
    TlmAccess access{};
    std::uint64_t value{};  ///< read or to be written
    unsigned int bytes{8};
    tlm::tlm_response_status status{tlm::TLM_INCOMPLETE_RESPONSE};
    sc_core::sc_time begun{};
    sc_core::sc_time ended{};

    bool ok() const { return status == tlm::TLM_OK_RESPONSE; }
};

/// Runs a test's function as a process of its own.
class Initiator final : public sc_core::sc_module {
public:
    explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        SC_THREAD(run);
    }

    /// One loosely timed transaction, from the current time to its end.
    Transaction transport(Transaction transaction) {
        tlm::tlm_generic_payload payload;
        fill(payload, transaction);
        transaction.begun = sc_core::sc_time_stamp();
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        wait(delay);
        transaction.ended = sc_core::sc_time_stamp();
        transaction.status = payload.get_response_status();
        payload.clear_extension(&transaction.access);
        dmi_was_offered = dmi_was_offered || payload.is_dmi_allowed();
        return transaction;
    }
    Transaction load(std::uint64_t address) { return transport({.address = address}); }
    Transaction store(std::uint64_t address, std::uint64_t value) {
        Transaction transaction{
            .command = tlm::TLM_WRITE_COMMAND, .address = address, .value = value};
        transaction.access.kind = AccessKind::kStore;
        return transport(transaction);
    }

    static void fill(tlm::tlm_generic_payload& payload, Transaction& transaction) {
        payload.set_command(transaction.command);
        payload.set_address(transaction.address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(&transaction.value));
        payload.set_data_length(transaction.bytes);
        payload.set_streaming_width(transaction.bytes);
        payload.set_extension(&transaction.access);
    }

    tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
    std::function<void()> script{};
    bool dmi_was_offered{};

private:
    SC_HAS_PROCESS(Initiator);
    void run() {
        if (script) script();
    }
};

}  // namespace nestwalk::test
