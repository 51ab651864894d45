#pragma once

// Addresses of the three spaces of x86 translation. They do not convert into each other: a
// guest-physical address used as a host-physical one is a compile error, not a wrong count.

#include <compare>
#include <cstdint>

namespace nestwalk {

template <typename Space>
class Address {
public:
    constexpr Address() = default;
    constexpr explicit Address(std::uint64_t value) : value_(value) {}

    constexpr std::uint64_t value() const { return value_; }
    constexpr Address operator+(std::uint64_t bytes) const { return Address(value_ + bytes); }
    constexpr auto operator<=>(const Address&) const = default;

private:
    std::uint64_t value_{};
};

/// A linear address, as programs use it (SDM: "linear address"; APM: "virtual address").
using VirtAddr = Address<struct VirtualSpace>;
/// A guest-physical address: what a guest's paging structures hold.
using GuestPhysAddr = Address<struct GuestPhysicalSpace>;
/// A host-physical address: where memory is. Native paging knows only these.
using PhysAddr = Address<struct HostPhysicalSpace>;

/// True if bits 63 down to the highest translated bit are equal (SDM "Canonical Addressing").
/// `levels` is 4 (48 bits) or 5 (57 bits).
constexpr bool is_canonical(VirtAddr va, int levels) {
    const int unused = levels == 5 ? 7 : 16;
    const auto shifted = static_cast<std::int64_t>(va.value() << unused) >> unused;
    return static_cast<std::uint64_t>(shifted) == va.value();
}

}  // namespace nestwalk
