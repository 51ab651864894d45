#include "traces/number.h"

#include <array>

namespace nestwalk {
namespace {

constexpr unsigned kNoDigit = 16;

constexpr std::array<std::uint8_t, 256> digit_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNoDigit);
    for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
    for (unsigned i = 0; i < 6; ++i)
        values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
    return values;
}
constexpr std::array<std::uint8_t, 256> kDigitValues = digit_values();

unsigned suffix_shift(char c) { return c == 'K' ? 10 : c == 'M' ? 20 : c == 'G' ? 30 : 0; }

// Digits of one base, with single `_` between them.
template <unsigned kBase>
ParsedNumber parse_digits(std::string_view text) {
    ParsedNumber number;
    bool after_digit = false;
    for (const char c : text) {
        if (c == '_' && after_digit) {
            after_digit = false;
            continue;
        }
        const unsigned digit = kDigitValues[static_cast<unsigned char>(c)];
        if (digit >= kBase) return {0, NumberFault::kNotANumber};
        after_digit = true;
        if (number.value > UINT64_MAX / kBase) number.fault = NumberFault::kTooLarge;
        number.value *= kBase;
        if (number.value > UINT64_MAX - digit) number.fault = NumberFault::kTooLarge;
        number.value += digit;
    }
    if (!after_digit) return {0, NumberFault::kNotANumber};
    return number;
}

}  // namespace

ParsedNumber parse_number(std::string_view text) {
    if (text.starts_with('-') && !text.starts_with("--") &&
        parse_number(text.substr(1)).fault != NumberFault::kNotANumber)
        return {0, NumberFault::kNegative};
    const unsigned shift = text.empty() ? 0 : suffix_shift(text.back());
    if (shift != 0) text.remove_suffix(1);
    ParsedNumber number =
        text.starts_with("0x") ? parse_digits<16>(text.substr(2)) : parse_digits<10>(text);
    if (number.fault != NumberFault::kNone) return number;
    if (number.value > UINT64_MAX >> shift) number.fault = NumberFault::kTooLarge;
    number.value <<= shift;
    return number;
}

}  // namespace nestwalk
