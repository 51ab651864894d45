#pragma once

// What a translation of a TlmMmu depends on, as a processor has it loaded: control bits, tables,
// tags.

#include "models/control_flags.h"
#include "models/tags.h"

#include <cstdint>
#include <optional>

namespace nestwalk {

/// An EPT or NPT.
struct TlmHostTable {
    std::uint64_t root{};
    int levels{4};          ///< 4 or 5
    bool accessed_dirty{};  ///< EPTP bit 6; an NPT always keeps A and D
};

struct TlmContext {
    /// Paging on, supervisor writes respect R/W, XD honoured.
    ControlFlags flags{default_flags()};
    std::uint64_t root{};  ///< the paging structure that CR3 points at; guest-physical in a guest
    int levels{4};         ///< 4 or 5
    Pcid pcid{};           ///< used while flags have PCIDE
    std::uint16_t tag{};   ///< VPID, or ASID on AMD
    std::optional<TlmHostTable> host{};  ///< of a guest under nested paging

    static ControlFlags default_flags() {
        ControlFlags flags;
        for (const ControlFlag flag : {ControlFlag::kPg, ControlFlag::kWp, ControlFlag::kNxe}) {
            flags.set(flag);
        }
        return flags;
    }
};

}  // namespace nestwalk
