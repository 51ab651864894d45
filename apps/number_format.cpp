#include "apps/number_format.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace nestwalk {
namespace {

/// ".65" of 650 thousandths; nothing of 0.
std::string fraction(std::uint64_t thousandths) {
    if (thousandths == 0) return "";
    std::string digits = fmt::format(".{:03}", thousandths);
    while (digits.back() == '0') digits.pop_back();
    return digits;
}

}  // namespace

std::string with_thousands(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string with_thousands(double value, int decimals) {
    std::string digits = fmt::format("{:.{}f}", value, decimals);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string signed_number(double value, int decimals) {
    const std::string magnitude = with_thousands(std::abs(value), decimals);
    const bool negative = value < 0 && magnitude.find_first_not_of("0.,") != std::string::npos;
    return (negative ? "-" : "+") + magnitude;
}

std::string with_thousandths(std::uint64_t thousandths) {
    return std::to_string(thousandths / 1000) + fraction(thousandths % 1000);
}

std::string readable_thousandths(std::uint64_t thousandths) {
    return with_thousands(thousandths / 1000) + fraction(thousandths % 1000);
}

std::string percent(double ratio, int decimals) {
    std::string text = fmt::format("{:+.{}f} %", 100 * ratio, decimals);
    if (text.find_first_of("123456789") == std::string::npos) text.front() = '+';
    return text;
}

}  // namespace nestwalk
