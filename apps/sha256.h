#pragma once

// SHA-256 (FIPS 180-4), by which results say exactly what they are of.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nestwalk {

class Sha256 {
public:
    void add(std::string_view bytes);
    /// The digest of all that was added, in 64 hexadecimal digits. Nothing may be added after it.
    std::string finish();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> pending_{};
    std::size_t filled_{};    ///< of pending_
    std::uint64_t length_{};  ///< bytes added
};

std::string sha256(std::string_view bytes);

/// Of the bytes of a file. Throws InputError if it cannot be read or is no regular file.
std::string sha256_of_file(const std::string& path);

}  // namespace nestwalk
