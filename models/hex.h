#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace nestwalk {

/// "0x7f0000001000".
inline std::string to_hex(std::uint64_t value) {
    std::array<char, 18> text{'0', 'x'};
    const auto end = std::to_chars(text.data() + 2, text.data() + text.size(), value, 16);
    return {text.data(), end.ptr};
}

}  // namespace nestwalk
