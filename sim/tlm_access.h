#pragma once

// What a transaction to a TlmMmu says besides its address and data, and what became of its
// translation: a payload extension of the initiator's.

#include "models/fault.h"
#include "models/operation.h"
#include "models/outcome.h"

#include <cstdint>

#include <tlm>

namespace nestwalk {

struct TlmAccess final : tlm::tlm_extension<TlmAccess> {
    std::uint32_t context{};  ///< a number that TlmMmu::set_context was given
    Privilege privilege{};
    AccessKind kind{};  ///< a store needs the right to write, whatever the command

    // The answer.
    TranslationResult result{};
    std::uint64_t physical{};     ///< of a translation that did not fault
    Fault fault{};                ///< why the response is TLM_ADDRESS_ERROR_RESPONSE
    std::uint32_t table_reads{};  ///< paging-structure entries that were read

    tlm::tlm_extension_base* clone() const override { return new TlmAccess(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const TlmAccess&>(other);
    }
};

}  // namespace nestwalk
