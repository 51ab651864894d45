#pragma once

// The platform's memory: page tables and data alike, 60 ns a transaction.

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

class Memory final : public sc_core::sc_module {
public:
    explicit Memory(const sc_core::sc_module_name& name);

    tlm_utils::multi_passthrough_target_socket<Memory> target{"target"};

    // How software that is not simulated, here the example itself, reads and writes it.
    std::uint64_t word(std::uint64_t address) const;
    void set_word(std::uint64_t address, std::uint64_t value);

private:
    bool move(tlm::tlm_generic_payload& payload);
    void b_transport(int socket, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned int transport_dbg(int socket, tlm::tlm_generic_payload& payload);

    std::vector<unsigned char> bytes_;
};
