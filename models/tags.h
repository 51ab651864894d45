#pragma once

// Tags of cached translations (SDM "Caching Translation Information", "VPIDs and EPT-Derived
// Caching"; APM "Address Space Identifier"). Each is a type of its own so that they cannot be mixed
// up.

#include <compare>
#include <cstdint>

namespace nestwalk {

template <typename Name, typename Representation>
class Tag {
public:
    constexpr Tag() = default;
    constexpr explicit Tag(Representation value) : value_(value) {}

    constexpr Representation value() const { return value_; }
    constexpr auto operator<=>(const Tag&) const = default;

private:
    Representation value_{};
};

/// Process-context identifier, 12 bits.
using Pcid = Tag<struct PcidName, std::uint16_t>;
/// Virtual-processor identifier (Intel), 16 bits; 0 is the host and every guest run without VPIDs.
using Vpid = Tag<struct VpidName, std::uint16_t>;
/// Address-space identifier (AMD SVM); 0 is the host.
using Asid = Tag<struct AsidName, std::uint16_t>;
/// EPTP bits 51:12, the only part of the EPTP that tags (EP4TA, EPTRTA in later editions).
using Ep4ta = Tag<struct Ep4taName, std::uint64_t>;

inline constexpr std::uint16_t kPcidLimit = 4096;

}  // namespace nestwalk
