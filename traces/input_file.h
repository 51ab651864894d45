#pragma once

// The bytes of a trace file, decompressed. What a file is compressed with is seen from its first
// bytes, never from its name: gzip, zstd and xz are known, several members or frames one after
// another included.

#include <cstddef>
#include <memory>
#include <string>

namespace nestwalk {

class InputFile {
public:
    /// Opens `path`; "-" is standard input. Throws InputError.
    explicit InputFile(const std::string& path);
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;
    ~InputFile();

    /// The next bytes, at most `limit` of them, which is at least 64; 0 only at the end. Throws
    /// InputError if the file cannot be read, is damaged, or ends inside compressed data.
    std::size_t read(char* to, std::size_t limit);
    /// The path, or "<stdin>".
    const std::string& name() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace nestwalk
