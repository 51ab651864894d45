#pragma once

// One access in eight bytes: what almost every access of a capture is, in the form in which the
// binary trace stores it and a replay of hundreds of millions a second wants it.
//
//     bits  0-1   kind: 0 load, 1 store, 2 fetch
//     bit   2     by kernel code
//     bits  3-6   which load before it the address depends on, 1 to 8; 0: on none
//     bits  7-15  bytes - 1
//     bits 16-63  bits 47-0 of the address, which is canonical with 48 bits

#include "models/operation.h"

#include <cstdint>

namespace nestwalk {

class PackedAccess {
public:
    static constexpr std::uint64_t kMostBytes = 512;
    static constexpr int kBytesBit = 7;
    static constexpr int kAddressBit = 16;

    constexpr PackedAccess() = default;
    /// `word` as above; see is_valid.
    constexpr explicit PackedAccess(std::uint64_t word) : word_(word) {}
    /// `access` must fit.
    constexpr explicit PackedAccess(const Access& access)
        : word_(static_cast<std::uint64_t>(access.kind) |
                static_cast<std::uint64_t>(access.privilege) << kPrivilegeBit |
                static_cast<std::uint64_t>(back_of(access)) << kBackBit |
                (access.bytes - 1) << kBytesBit | access.va.value() << kAddressBit) {}

    /// One access of at most kMostBytes bytes at an address that is canonical with 48 bits.
    static constexpr bool fits(const Access& access) {
        return access.count == 1 && access.stride == 0 && access.bytes - 1 < kMostBytes &&
               is_canonical(access.va, 4);
    }

    /// Kind and privilege, as the lowest three bits have them.
    static constexpr unsigned class_of(AccessKind kind, Privilege privilege) {
        return static_cast<unsigned>(kind) | static_cast<unsigned>(privilege) << kPrivilegeBit;
    }

    constexpr std::uint64_t word() const { return word_; }
    constexpr AccessKind kind() const { return static_cast<AccessKind>(word_ & 3); }
    constexpr Privilege privilege() const {
        return static_cast<Privilege>(word_ >> kPrivilegeBit & 1);
    }
    /// Which load before it the address depends on; 0: on none.
    constexpr unsigned loads_back() const { return static_cast<unsigned>(word_ >> kBackBit & 15); }
    constexpr std::uint64_t bytes() const { return (word_ >> kBytesBit & (kMostBytes - 1)) + 1; }
    constexpr VirtAddr va() const {
        return VirtAddr(
            static_cast<std::uint64_t>(static_cast<std::int64_t>(word_) >> kAddressBit));
    }

    constexpr Access access() const {
        const unsigned back = loads_back();
        return {.kind = kind(),
                .privilege = privilege(),
                .dependence = back == 0 ? Dependence::kIndependent : Dependence::kOnPreviousLoad,
                .loads_back = static_cast<std::uint8_t>(back == 0 ? 1 : back),
                .va = va(),
                .bytes = bytes()};
    }

    /// True if no field holds a value that means nothing.
    constexpr bool is_valid() const { return invalid_bits() == 0; }
    /// Not 0 if the word is not valid; of several words these may be ored, which is vector code.
    constexpr std::uint64_t invalid_bits() const {
        const std::uint64_t back = word_ >> kBackBit;
        return ((word_ & word_ >> 1) | (back >> 3 & (back | back >> 1 | back >> 2))) & 1;
    }

    constexpr bool operator==(const PackedAccess&) const = default;

private:
    static constexpr int kPrivilegeBit = 2;
    static constexpr int kBackBit = 3;

    static constexpr unsigned back_of(const Access& access) {
        return access.dependence == Dependence::kIndependent ? 0 : access.loads_back;
    }

    std::uint64_t word_{};
};

static_assert(sizeof(PackedAccess) == 8);

}  // namespace nestwalk
