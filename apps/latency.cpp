#include "apps/latency.h"

#include <algorithm>
#include <optional>

namespace nestwalk {

namespace {

constexpr std::int64_t kMilli = 1000;

std::string expected() {
    return "a latency such as 12 or 4.4 (core cycles), 448 tsc or 67 ns, from 0 to " +
           std::to_string(kMostLatency) + ", with at most " + std::to_string(kLatencyDecimals) +
           " decimals";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits at the start of `text`, which loses them; nothing if there are none. Stops growing once it
// is far beyond any bound.
std::optional<std::int64_t> take_digits(std::string_view& text) {
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    std::int64_t number = 0;
    while (!text.empty() && is_digit(text.front())) {
        number = std::min(number * 10 + (text.front() - '0'), kMostLatency + 1);
        text.remove_prefix(1);
    }
    return number;
}

// The decimals after a point, in thousandths; nothing if there are none or too many.
std::optional<std::int64_t> take_decimals(std::string_view& text) {
    const std::size_t before = text.size();
    std::optional<std::int64_t> number = take_digits(text);
    if (!number || before - text.size() > kLatencyDecimals) return std::nullopt;
    for (std::size_t i = before - text.size(); i < kLatencyDecimals; ++i) *number *= 10;
    return number;
}

// "12.5", and what stands after it.
std::optional<std::int64_t> take_thousandths(std::string_view& text) {
    const std::optional<std::int64_t> whole = take_digits(text);
    if (!whole) return std::nullopt;
    if (!text.starts_with('.')) return *whole * kMilli;
    text.remove_prefix(1);
    const std::optional<std::int64_t> decimals = take_decimals(text);
    if (!decimals) return std::nullopt;
    return *whole * kMilli + *decimals;
}

}  // namespace

Latency read_latency(const ConfigValue& value) {
    if (!value.node->is_scalar()) reject(value, expected());
    std::string_view text = value.node->text;
    const std::optional<std::int64_t> milli = take_thousandths(text);
    if (!milli || *milli > kMostLatency * kMilli) reject(value, expected());
    if (text.empty()) return {*milli, ClockDomain::kCore};
    if (text.front() != ' ') reject(value, expected());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    for (const Keyword<ClockDomain>& unit : kClockWords)
        if (unit.word == text) return {*milli, unit.meaning};
    reject(value, expected() + suggestion(text, words_of(kClockWords)));
}

ConfigNode latency_node(Latency latency) {
    std::string text = std::to_string(latency.milli / kMilli);
    if (latency.milli % kMilli != 0) {
        text += '.' + std::to_string(kMilli + latency.milli % kMilli).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    if (latency.clock != ClockDomain::kCore) (text += ' ') += word_for(latency.clock, kClockWords);
    return word_node(text);
}

}  // namespace nestwalk
