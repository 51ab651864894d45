#pragma once

// Decompresses lz4 frames, several one after another included, as Boost's filters do other forms:
// Boost has none for lz4.

#include <array>
#include <cstddef>
#include <ios>
#include <memory>
#include <stdexcept>

namespace nestwalk {

class Lz4Decompressor {
public:
    Lz4Decompressor();
    Lz4Decompressor(Lz4Decompressor&&) noexcept;
    Lz4Decompressor& operator=(Lz4Decompressor&&) noexcept;
    ~Lz4Decompressor();

    /// The next bytes, at most `limit`, which is at least 1; -1 at the end. Throws
    /// std::runtime_error for data that is damaged or ends inside a frame.
    template <class Source>
    std::streamsize read(Source& source, char* to, std::streamsize limit) {
        for (;;) {
            if (from_ == end_) {
                from_ = 0;
                const std::streamsize got =
                    source.read(input_.data(), static_cast<std::streamsize>(input_.size()));
                end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
                if (end_ == 0) {
                    if (!between_frames_) throw std::runtime_error("it ends inside a frame");
                    return -1;
                }
            }
            const std::size_t made = decompress(to, static_cast<std::size_t>(limit));
            if (made != 0) return static_cast<std::streamsize>(made);
        }
    }

private:
    struct Context;

    std::size_t decompress(char* to, std::size_t limit);

    std::unique_ptr<Context> context_;
    std::array<char, 64 * 1024> input_{};
    std::size_t from_{};
    std::size_t end_{};
    bool between_frames_{true};
};

}  // namespace nestwalk
