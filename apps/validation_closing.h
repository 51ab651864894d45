#pragma once

// What a validation says after its tables: errors group by group, and what they were bought with.

#include "apps/validation.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nestwalk {

/// What was fitted or chosen by people who had seen the figures, by id.
struct FitCounts {
    std::vector<std::string> constants{};
    std::vector<std::string> choices{};
};

FitCounts fit_counts(const Measurement& measurement);

/// Figures of runs that have alternatives and none of them chosen.
std::size_t count_undecided(const Measurement& measurement);

/// The errors of each group of each validation, in one table.
std::string summary_text(std::span<const Validation> validations);

std::string closing_text(const Validation& validation);

}  // namespace nestwalk
