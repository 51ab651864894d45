#pragma once

// How the text of a validation says numbers and lists.

#include "apps/validation.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwalk {

/// "1 figure", "2 figures".
std::string count_of(std::size_t count, const std::string& noun);

/// "a, b, c".
std::string comma_list(const std::vector<std::string>& words);

/// Decimals that the predictions of a group are shown with: as many as its measured figures have,
/// and one where these are small and the predictions no whole numbers.
int shown_decimals(const Validation& validation, std::size_t group);

/// A measured figure as printed, filled up to so many decimals with blanks, so that the points of a
/// column stand below each other.
std::string measured_text(const Decimal& measured, int decimals);

/// A signed error in the scale of its group: "+0.966 %", or "+3.2" in the unit.
std::string error_text(const FigureGroup& group, double error);

/// The same without sign, of a summary.
std::string magnitude_text(const FigureGroup& group, double error);

}  // namespace nestwalk
