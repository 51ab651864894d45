#pragma once

// Numbers that someone printed: how many decimals they have says how far they can be trusted.

#include "apps/config_fields.h"

#include <string>

namespace nestwalk {

struct Decimal {
    double value{};
    int decimals{};  ///< digits after the point, as printed

    bool operator==(const Decimal&) const = default;
};

inline constexpr int kMostDecimals = 6;

/// Unsigned and below 2^53: `4_002_969`, `0x10`, `5.12`. Throws InputError.
Decimal read_decimal(const ConfigValue& value);

/// As it was printed, without `_`: "4002969", "5.12".
std::string to_text(const Decimal& number);

}  // namespace nestwalk
