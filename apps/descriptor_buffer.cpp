#include "apps/descriptor_buffer.h"

#include <cerrno>

#include <unistd.h>

namespace nestwalk {

void DescriptorBuffer::close() {
    if (descriptor_ < 0) return;
    if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
    descriptor_ = -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof()))
        sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
}

/// A write that Ctrl-C breaks off is done again, for what was counted until then is to be whole.
int DescriptorBuffer::sync() {
    for (const char* from = pbase(); error_ == 0 && from != pptr();) {
        const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
        if (written >= 0)
            from += written;
        else if (errno != EINTR)
            error_ = errno;
    }
    forget_written();
    return error_ == 0 ? 0 : -1;
}

}  // namespace nestwalk
