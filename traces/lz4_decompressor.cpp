#include "traces/lz4_decompressor.h"

#include <new>

#include <lz4frame.h>

namespace nestwalk {

struct Lz4Decompressor::Context {
    Context() {
        if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0)
            throw std::bad_alloc();
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { LZ4F_freeDecompressionContext(context); }

    LZ4F_dctx* context{};
};

Lz4Decompressor::Lz4Decompressor() : context_(std::make_unique<Context>()) {}
Lz4Decompressor::Lz4Decompressor(Lz4Decompressor&&) noexcept = default;
Lz4Decompressor& Lz4Decompressor::operator=(Lz4Decompressor&&) noexcept = default;
Lz4Decompressor::~Lz4Decompressor() = default;

std::size_t Lz4Decompressor::decompress(char* to, std::size_t limit) {
    std::size_t made = limit;
    std::size_t used = end_ - from_;
    const std::size_t left =
        LZ4F_decompress(context_->context, to, &made, input_.data() + from_, &used, nullptr);
    if (LZ4F_isError(left) != 0) throw std::runtime_error(LZ4F_getErrorName(left));
    from_ += used;
    between_frames_ = left == 0;
    return made;
}

}  // namespace nestwalk
