#include "apps/number_format.h"

#include <fmt/format.h>

namespace nestwalk {

std::string with_thousands(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string percent(double ratio, int decimals) {
    return fmt::format("{:+.{}f} %", 100 * ratio, decimals);
}

}  // namespace nestwalk
