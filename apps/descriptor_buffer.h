#pragma once

// What a stream writes to a file descriptor. It remembers why the first write failed that did,
// which a stream of the standard library forgets.

#include <array>
#include <cstddef>
#include <streambuf>

namespace nestwalk {

class DescriptorBuffer final : public std::streambuf {
public:
    DescriptorBuffer() { forget_written(); }
    DescriptorBuffer(const DescriptorBuffer&) = delete;
    DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
    ~DescriptorBuffer() override { close(); }

    /// Takes over `descriptor`, which is open.
    void open(int descriptor) { descriptor_ = descriptor; }
    /// What is not written by pubsync() is lost.
    void close();

    /// The errno of the first thing that failed, 0 if nothing did.
    int error() const { return error_; }

protected:
    int_type overflow(int_type character) override;
    int sync() override;

private:
    void forget_written() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

    static constexpr std::size_t kBuffered = std::size_t{16} << 10;

    int descriptor_{-1};
    int error_{};
    std::array<char, kBuffered> buffer_;
};

}  // namespace nestwalk
