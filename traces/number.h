#pragma once

// Numbers as users write them, in traces, experiments and on the command line: decimal or 0x
// hexadecimal, single `_` between digits, K, M or G at the end for powers of 1024.

#include <cstdint>
#include <string_view>

namespace nestwalk {

enum class NumberFault : std::uint8_t { kNone, kNotANumber, kNegative, kTooLarge };

/// `value` means something only without a fault; kTooLarge is what 64 bits cannot hold.
struct ParsedNumber {
    std::uint64_t value{};
    NumberFault fault{};
};

ParsedNumber parse_number(std::string_view text);

}  // namespace nestwalk
