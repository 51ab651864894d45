// libFuzzer's way into the target.
#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nestwalk::fuzz::binary_trace({reinterpret_cast<const char*>(data), size});
    return 0;
}
