#pragma once

// A 64-bit digest of state, used to find out cheaply that a loop has come back to where it was.
// Digests of parts are combined with exclusive or, so that a part can be taken out and put back;
// where two digests agree the states are compared in full.

#include <cstdint>

namespace nestwalk {

/// The finalizer of splitmix64: every input bit changes about half of the output bits.
constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9e37'79b9'7f4a'7c15;
    value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9;
    value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11eb;
    return value ^ (value >> 31);
}

constexpr std::uint64_t mix(std::uint64_t first, std::uint64_t second) {
    return mix(mix(first) ^ second);
}

}  // namespace nestwalk
