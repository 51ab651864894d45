#pragma once

// Numbers as binary traces hold them, whatever machine this is.

#include <cstddef>
#include <string_view>

namespace nestwalk {

/// The number of Number's size, which is unsigned, at that byte.
template <class Number>
Number little_endian(std::string_view bytes, std::size_t at) {
    Number value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        const auto byte = static_cast<Number>(static_cast<unsigned char>(bytes[at + i]));
        value = static_cast<Number>(value | static_cast<Number>(byte << (8 * i)));
    }
    return value;
}

}  // namespace nestwalk
