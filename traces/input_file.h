#pragma once

// The bytes of a trace file, decompressed. What a file is compressed with is seen from its first
// bytes, never from its name: gzip, zstd, xz and lz4 are known, several members or frames one after
// another included.

#include "traces/source_location.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nestwalk {

class DamagedInput : public InputError {
public:
    using InputError::InputError;
};

/// How far a file has been read, in bytes as they are stored.
struct InputProgress {
    std::uint64_t read{};
    std::optional<std::uint64_t> size{};  ///< of a regular file
};

class InputFile {
public:
    /// Opens `path`; "-" is standard input. Throws InputError.
    explicit InputFile(const std::string& path);
    /// A file of the given content that is nowhere but in memory.
    static InputFile in_memory(std::string content, const std::string& name);
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;
    ~InputFile();

    /// The next bytes, at most `limit` of them, which is at least 64; 0 only at the end. Throws
    /// InputError if the file cannot be read, DamagedInput if what is compressed is damaged or not
    /// complete.
    std::size_t read(char* to, std::size_t limit);
    /// The first bytes, at least `bytes` of them unless there are fewer, without taking them; to be
    /// asked before anything is read. Throws what `read` throws.
    std::string_view peek(std::size_t bytes = 64);

    /// Its size in bytes, if it can be read from anywhere: a file that is not compressed.
    std::optional<std::uint64_t> size() const;
    /// Goes on reading at that byte of a file that has a size. Throws InputError.
    void seek(std::uint64_t offset);

    /// Goes on with the reading, also once the file has been moved.
    std::shared_ptr<const InputProgress> progress() const;

    /// "none", "gzip", "zstd", "xz" or "lz4".
    const char* compression() const;
    /// The path, or "<stdin>".
    const std::string& name() const;

private:
    struct State;
    explicit InputFile(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace nestwalk
