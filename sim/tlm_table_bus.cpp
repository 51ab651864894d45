#include "sim/tlm_table_bus.h"

namespace nestwalk {

std::uint64_t TlmTableBus::read(PhysAddr location) {
    Bytes bytes{};
    transport(tlm::TLM_READ_COMMAND, location, bytes);
    std::uint64_t raw = 0;
    for (std::size_t at = bytes.size(); at-- > 0;) raw = raw << 8 | bytes[at];
    return raw;
}

void TlmTableBus::write(PhysAddr location, std::uint64_t raw) {
    Bytes bytes{};
    for (unsigned char& byte : bytes) {
        byte = static_cast<unsigned char>(raw);
        raw >>= 8;
    }
    transport(tlm::TLM_WRITE_COMMAND, location, bytes);
}

void TlmTableBus::transport(tlm::tlm_command command, PhysAddr location, Bytes& bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(location.value());
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(kBytes);
    payload.set_streaming_width(kBytes);
    if (transport_ == Transport::kDebug) {
        if (socket_->transport_dbg(payload) == kBytes) return;
    } else {
        socket_->b_transport(payload, *delay_);
        if (payload.is_response_ok()) return;
    }
    failed_ = true;
    bytes = {};
}

}  // namespace nestwalk
