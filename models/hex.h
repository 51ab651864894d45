#pragma once

#include <cstdint>
#include <string>

namespace nestwalk {

/// "0x7f0000001000".
inline std::string to_hex(std::uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[value % 16]);
        value /= 16;
    } while (value != 0);
    return "0x" + text;
}

}  // namespace nestwalk
