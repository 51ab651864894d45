#pragma once

// The bits of CR0, CR4 and EFER that translation depends on, as one set. `mov-cr4 pge=0 smep=1` is
// one write of several bits, so a write is a set of bits to set and a set of bits to clear.

#include <cstdint>

namespace nestwalk {

enum class ControlFlag : std::uint8_t {
    kPg,
    kWp,  // CR0
    kPge,
    kPcide,
    kSmep,
    kSmap,
    kPke,
    kPae,
    kPse,
    kLa57,  // CR4
    kNxe,
    kTce,  // EFER
};

class ControlFlags {
public:
    constexpr ControlFlags() = default;
    static constexpr ControlFlags of_bits(std::uint16_t bits) {
        ControlFlags flags;
        flags.bits_ = bits;
        return flags;
    }

    constexpr bool test(ControlFlag flag) const { return (bits_ & bit(flag)) != 0; }
    constexpr void set(ControlFlag flag) { bits_ = static_cast<std::uint16_t>(bits_ | bit(flag)); }
    constexpr void clear(ControlFlag flag) {
        bits_ = static_cast<std::uint16_t>(bits_ & ~bit(flag));
    }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr std::uint16_t bits() const { return bits_; }
    constexpr bool operator==(const ControlFlags&) const = default;

private:
    static constexpr std::uint16_t bit(ControlFlag flag) {
        return static_cast<std::uint16_t>(1u << static_cast<unsigned>(flag));
    }

    std::uint16_t bits_{};
};

/// One write of a control register or MSR: bits it sets and bits it clears; the rest keep their
/// value.
struct ControlWrite {
    ControlFlags set{};
    ControlFlags clear{};

    bool operator==(const ControlWrite&) const = default;
};

/// The bits after the write.
constexpr ControlFlags written(ControlFlags flags, ControlWrite write) {
    return ControlFlags::of_bits(
        static_cast<std::uint16_t>((flags.bits() | write.set.bits()) & ~write.clear.bits()));
}

}  // namespace nestwalk
