#pragma once

// Ranks from 1 to `ranks`, rank k with a probability in proportion to k^-exponent: rejection-
// inversion (Hoermann and Derflinger, "Rejection-Inversion to Generate Variates from Monotone
// Discrete Distributions"), in constant memory and, whatever the parameters, in less than two
// attempts on average. Logarithms and powers are computed here, from sums, products and quotients
// alone, so that every machine draws the same ranks.

#include "traces/random_stream.h"

#include <cstdint>

namespace nestwalk {

class ZipfRanks {
public:
    static constexpr std::uint64_t kMostExponent = 10'000'000;  ///< in millionths

    /// `ranks` from 1 to 2^52.
    ZipfRanks(std::uint64_t ranks, std::uint64_t exponent_millionths);

    std::uint64_t next(RandomStream& random) const;

private:
    double integral(double x) const;
    double inverse_integral(double area) const;
    double density(double x) const;

    double ranks_;
    double exponent_;
    double area_of_first_;
    double area_of_all_;
    double sure_;  ///< how far below a rank all is accepted
};

}  // namespace nestwalk
