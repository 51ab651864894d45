#pragma once

// Paging-structure entries as a TlmMmu reads and writes them: 8-byte transactions on a socket.

#include "models/entry_memory.h"

#include <array>
#include <cstdint>

#include <systemc>
#include <tlm>

namespace nestwalk {

class TlmTableBus final : public EntryMemory {
public:
    enum class Transport : std::uint8_t {
        kTimed,  ///< b_transport, the delay annotated
        kDebug,  ///< transport_dbg: takes no time and is not meant to change anything
    };

    TlmTableBus(tlm::tlm_initiator_socket<>& socket, Transport transport)
        : socket_(socket), transport_(transport) {}

    /// The next transactions take their time on top of `delay`, which must outlive them.
    void begin(sc_core::sc_time& delay) {
        delay_ = &delay;
        failed_ = false;
    }
    /// True if one of them was answered with an error. Its entry then counted as absent.
    bool failed() const { return failed_; }

    std::uint64_t read(PhysAddr location) override;
    void write(PhysAddr location, std::uint64_t raw) override;

private:
    static constexpr unsigned int kBytes = 8;
    using Bytes = std::array<unsigned char, kBytes>;

    void transport(tlm::tlm_command command, PhysAddr location, Bytes& bytes);

    tlm::tlm_initiator_socket<>& socket_;
    Transport transport_;
    sc_core::sc_time* delay_{};
    bool failed_{};
};

}  // namespace nestwalk
