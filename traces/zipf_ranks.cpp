#include "traces/zipf_ranks.h"

#include <array>
#include <bit>
#include <cstddef>

namespace nestwalk {
namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1;  // the product with a small integer is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep0;
constexpr double kSquareRootOf2 = 0x1.6a09e667f3bcdp0;

/// 1, 1/3, 1/5, ...
constexpr auto kInverseOdds = [] {
    std::array<double, 11> inverses{};
    for (std::size_t i = 0; i < inverses.size(); ++i)
        inverses[i] = 1.0 / static_cast<double>(2 * i + 1);
    return inverses;
}();

/// 1/1!, 1/2!, 1/3!, ...
constexpr auto kInverseFactorials = [] {
    std::array<double, 13> inverses{};
    double factorial = 1;
    for (std::size_t i = 0; i < inverses.size(); ++i)
        inverses[i] = 1 / (factorial *= static_cast<double>(i + 1));
    return inverses;
}();

template <std::size_t kSize>
double polynomial(const std::array<double, kSize>& coefficients, double x) {
    double sum = 0;
    for (std::size_t i = kSize; i-- != 0;) sum = sum * x + coefficients[i];
    return sum;
}

/// atanh(f) / f for |f| < 0.18, from f^2.
double atanh_ratio(double square) { return polynomial(kInverseOdds, square); }

/// The natural logarithm of a positive normal number.
double logarithm(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double mantissa = std::bit_cast<double>((bits & 0xf'ffff'ffff'ffff) | 0x3ff0'0000'0000'0000);
    if (mantissa > kSquareRootOf2) {
        mantissa /= 2;
        ++exponent;
    }
    const double f = (mantissa - 1) / (mantissa + 1);
    const double fraction = 2 * f * atanh_ratio(f * f);
    return exponent * kLn2High + (fraction + exponent * kLn2Low);
}

/// (e^x - 1) / x for |x| < 0.35.
double power_ratio(double x) { return polynomial(kInverseFactorials, x); }

/// e^x for |x| < 700.
double power(double x) {
    const double scaled = x * kInverseLn2;
    const int exponent = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    const double rest = (x - exponent * kLn2High) - exponent * kLn2Low;
    const auto scale = static_cast<std::uint64_t>(exponent + 1023) << 52;
    return (1 + rest * power_ratio(rest)) * std::bit_cast<double>(scale);
}

/// log(1 + x) / x, also where x is 0.
double logarithm_ratio(double x) {
    if (x > -0.25 && x < 0.4) {
        const double f = x / (2 + x);
        return 2 / (2 + x) * atanh_ratio(f * f);
    }
    return logarithm(1 + x) / x;
}

/// (e^x - 1) / x, also where x is 0.
double exponential_ratio(double x) {
    if (x > -0.35 && x < 0.35) return power_ratio(x);
    return (power(x) - 1) / x;
}

}  // namespace

ZipfRanks::ZipfRanks(std::uint64_t ranks, std::uint64_t exponent_millionths)
    : ranks_(static_cast<double>(ranks)),
      exponent_(static_cast<double>(exponent_millionths) / 1'000'000) {
    area_of_first_ = integral(1.5) - 1;
    area_of_all_ = integral(ranks_ + 0.5);
    sure_ = 2 - inverse_integral(integral(2.5) - density(2));
}

/// The area under x^-exponent from 1 to x.
double ZipfRanks::integral(double x) const {
    const double log = logarithm(x);
    return exponential_ratio((1 - exponent_) * log) * log;
}

double ZipfRanks::density(double x) const { return power(-exponent_ * logarithm(x)); }

double ZipfRanks::inverse_integral(double area) const {
    double scaled = area * (1 - exponent_);
    if (scaled < -1) scaled = -1;  // rounding errors only
    return power(logarithm_ratio(scaled) * area);
}

std::uint64_t ZipfRanks::next(RandomStream& random) const {
    for (;;) {
        const double area = area_of_all_ + random.fraction() * (area_of_first_ - area_of_all_);
        const double x = inverse_integral(area);
        double rank = ranks_;
        if (x + 0.5 < ranks_) rank = static_cast<double>(static_cast<std::uint64_t>(x + 0.5));
        if (rank < 1) rank = 1;
        if (rank - x <= sure_ || area >= integral(rank + 0.5) - density(rank))
            return static_cast<std::uint64_t>(rank);
    }
}

}  // namespace nestwalk
