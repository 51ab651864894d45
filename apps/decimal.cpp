#include "apps/decimal.h"
#include "traces/number.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // what a double holds exactly
constexpr std::string_view kDigits = "0123456789";

[[noreturn]] void reject_number(const ConfigValue& value) {
    reject(value, "an unsigned number such as 948_965_249 or 5.12, below 2^53 and with at most " +
                      std::to_string(kMostDecimals) + " decimals");
}

std::uint64_t whole_part(const ConfigValue& value, std::string_view text) {
    const ParsedNumber whole = parse_number(text);
    if (whole.fault != NumberFault::kNone || whole.value >= kMost) reject_number(value);
    return whole.value;
}

bool is_decimal(std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

Decimal read_decimal(const ConfigValue& value) {
    if (!value.node->is_scalar()) reject_number(value);
    const std::string_view text = value.node->text;
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos) return {static_cast<double>(whole_part(value, text)), 0};
    const std::string_view fraction = text.substr(point + 1);
    const bool hexadecimal = text.find_first_of("xX") != std::string_view::npos;
    if (hexadecimal || fraction.size() > kMostDecimals || !is_decimal(fraction))
        reject_number(value);
    const auto decimals = static_cast<int>(fraction.size());
    const auto whole = static_cast<double>(whole_part(value, text.substr(0, point)));
    const double scale = std::pow(10, decimals);
    return {(whole * scale + static_cast<double>(whole_part(value, fraction))) / scale, decimals};
}

std::string to_text(const Decimal& number) {
    return fmt::format("{:.{}f}", number.value, number.decimals);
}

}  // namespace nestwalk
