#include "memory.h"

#include <algorithm>

namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;

}  // namespace

Memory::Memory(const sc_core::sc_module_name& name) : sc_core::sc_module(name), bytes_(kBytes) {
    target.register_b_transport(this, &Memory::b_transport);
    target.register_transport_dbg(this, &Memory::transport_dbg);
}

std::uint64_t Memory::word(std::uint64_t address) const {
    std::uint64_t value = 0;
    for (std::uint64_t byte = 8; byte-- > 0;) value = value << 8 | bytes_[address + byte];
    return value;
}

void Memory::set_word(std::uint64_t address, std::uint64_t value) {
    for (std::uint64_t byte = 0; byte < 8; ++byte) {
        bytes_[address + byte] = static_cast<unsigned char>(value >> (8 * byte));
    }
}

bool Memory::move(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    if (address > kBytes || length > kBytes - address) return false;
    unsigned char* const here = bytes_.data() + address;
    if (payload.is_read()) std::copy_n(here, length, payload.get_data_ptr());
    if (payload.is_write()) std::copy_n(payload.get_data_ptr(), length, here);
    return true;
}

void Memory::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(60, sc_core::SC_NS);
    payload.set_response_status(move(payload) ? tlm::TLM_OK_RESPONSE
                                              : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned int Memory::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    return move(payload) ? payload.get_data_length() : 0;
}
