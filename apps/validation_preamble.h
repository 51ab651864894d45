#pragma once

// What a validation says before its tables: who measured what, and what is assumed.

#include "apps/validation.h"

#include <string>

namespace nestwalk {

/// "Measured by ...", one sentence without line end.
std::string source_text(const MeasurementSource& source);

std::string preamble_text(const Validation& validation);

}  // namespace nestwalk
