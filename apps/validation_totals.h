#pragma once

// What all measurements come to together. Errors are never pooled.

#include "apps/validation.h"

#include <string>
#include <vector>

namespace nestwalk {

/// More of the figures than this must not be left out as not modelled.
inline constexpr double kMostNotModelled = 0.15;

struct Totals {
    std::size_t constants{};
    std::size_t choices{};
    std::size_t figures{};
    std::vector<std::size_t> roles{};  ///< in the order of kFigureRoleWords
    std::size_t undecided{};           ///< figures of runs whose alternative nobody chose
    double not_modelled_share{};
};

Totals totals_of(const std::vector<Validation>& validations);

std::string totals_text(const std::vector<Validation>& validations);

}  // namespace nestwalk
