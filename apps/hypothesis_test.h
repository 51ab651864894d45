#pragma once

// A run of which several configurations may have been measured: its figures under each of them, and
// which one fits best.

#include "apps/prediction.h"

#include <cstddef>
#include <vector>

namespace nestwalk {

struct Hypothesis {
    Predictions predictions{};   ///< one a figure of the measurement; those of the run
    double largest_error{};      ///< of the figures that are predicted or derived
    double largest_factor{1};    ///< by which one of them is too large or too small
    std::size_t worst_figure{};  ///< the one that is
};

struct HypothesisTest {
    std::size_t run{};
    std::vector<Hypothesis> hypotheses{};  ///< one an alternative of the run
    std::size_t best{};                    ///< whose largest error is the smallest
};

/// `under` has the predictions under each alternative.
HypothesisTest compare_alternatives(const Measurement& measurement, std::size_t run,
                                    std::vector<Predictions> under);

}  // namespace nestwalk
