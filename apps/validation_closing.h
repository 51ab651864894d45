#pragma once

// What a validation says after its tables: errors group by group, and what they were bought with.

#include "apps/validation.h"

#include <string>
#include <vector>

namespace nestwalk {

/// What was fitted or chosen by people who had seen the figures, by id.
struct FitCounts {
    std::vector<std::string> constants{};
    std::vector<std::string> choices{};
};

FitCounts fit_counts(const Measurement& measurement);

std::string closing_text(const Validation& validation);

}  // namespace nestwalk
