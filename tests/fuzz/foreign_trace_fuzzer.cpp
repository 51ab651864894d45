// libFuzzer's way into the target. With --import=NAME, which libFuzzer passes over, all inputs are
// read by that importer, whatever their first byte.
#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

std::optional<char>& importer() {
    static std::optional<char> choice;
    return choice;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    constexpr std::string_view kOption = "--import=";
    for (int i = 1; i < *count; ++i) {
        const std::string_view argument = (*arguments)[i];
        if (!argument.starts_with(kOption)) continue;
        importer() = nestwalk::fuzz::foreign_trace_choice(argument.substr(kOption.size()));
        if (importer()) continue;
        std::fprintf(stderr, "no such importer: '%s'\n", (*arguments)[i]);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string input(reinterpret_cast<const char*>(data), size);
    if (importer() && !input.empty()) input[0] = *importer();
    nestwalk::fuzz::foreign_trace(input);
    return 0;
}
