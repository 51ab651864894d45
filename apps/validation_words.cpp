#include "apps/validation_words.h"
#include "apps/number_format.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr double kSmall = 100'000;
constexpr int kUnitDecimals = 1;
constexpr int kPercentDecimals = 3;

bool is_whole(double value) { return value == std::floor(value); }

}  // namespace

std::string count_of(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string comma_list(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

int shown_decimals(const Validation& validation, std::size_t group) {
    int decimals = 0;
    double largest = 0;
    bool whole = true;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        if (figure.group != group) continue;
        decimals = std::max(decimals, figure.measured.decimals);
        largest = std::max(largest, figure.measured.value);
        if (const auto& prediction = validation.predictions[at])
            whole = whole && is_whole(prediction->model);
    }
    return std::max(decimals, !whole && largest < kSmall ? 1 : 0);
}

std::string measured_text(const Decimal& measured, int decimals) {
    const int missing = decimals - measured.decimals;
    const int blanks = missing == 0 ? 0 : missing + (measured.decimals == 0 ? 1 : 0);
    return with_thousands(measured.value, measured.decimals) +
           std::string(static_cast<std::size_t>(blanks), ' ');
}

std::string error_text(const FigureGroup& group, double error) {
    if (!std::isfinite(error)) return "n/a";
    return group.scale == ErrorScale::kUnit ? signed_number(error, kUnitDecimals)
                                            : percent(error, kPercentDecimals);
}

std::string magnitude_text(const FigureGroup& group, double error) {
    if (!std::isfinite(error)) return "n/a";
    return group.scale == ErrorScale::kUnit
               ? with_thousands(std::abs(error), kUnitDecimals)
               : fmt::format("{:.{}f} %", 100 * std::abs(error), kPercentDecimals);
}

}  // namespace nestwalk
