#pragma once

// Which cached mappings an operation drops. Every invalidation of the architecture is one or a few
// of these, so the rules of all operations stand side by side as data, and one function applies
// them.

#include "models/mapping.h"

#include <cstdint>
#include <optional>

namespace nestwalk {

/// How a selection treats global translations.
enum class GlobalRule : std::uint8_t {
    kKeep,
    kDropOwnPcid,  ///< like any other entry: dropped if the selection's PCID is its own
    kDropAnyPcid,  ///< dropped whatever PCID it was made under
};

enum class AddressRule : std::uint8_t {
    kWholePage,  ///< translations of the whole page that software sees, every fragment
    kPiece,      ///< only entries that translate the very address
};

/// An absent field matches everything.
struct Selection {
    bool linear{};
    bool combined{};
    bool guest_physical{};
    bool translations{};
    bool paging_structures{};
    GlobalRule globals{};
    std::optional<std::uint16_t> context{};
    bool spare_context_zero{};
    std::optional<Pcid> pcid{};
    std::optional<Ep4ta> ep4ta{};
    std::optional<std::uint64_t> address{};  ///< guest-physical where `guest_physical` is selected
    std::uint64_t pages{1};                  ///< with `address`: that many addresses from it on,
    std::uint64_t stride{1};                 ///< so many bytes apart
    AddressRule address_rule{};

    bool matches(const Mapping& mapping) const;
    bool operator==(const Selection&) const = default;
};

/// Entries that an operation dropped, by what they were.
struct Dropped {
    std::uint64_t translations{};  ///< of TLBs, global ones included
    std::uint64_t global_translations{};
    std::uint64_t paging_structures{};
    std::uint64_t nested_translations{};
    std::uint64_t nested_paging_structures{};

    void count(const Mapping& mapping);
    bool operator==(const Dropped&) const = default;
};

}  // namespace nestwalk
