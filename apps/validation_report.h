#pragma once

// Validations for people (text) and for programs (JSON, CSV).

#include "apps/run_report.h"
#include "apps/validation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

/// Whether these are all the measurements there are, so that totals mean something.
enum class ReportScope : std::uint8_t { kSome, kAll };

/// CSV has one row a figure, under the chosen alternative of its run, and one a point of a curve;
/// what the table is made with and its summary are in text and JSON.
std::string report_validations(const std::vector<Validation>& validations, ReportFormat format,
                               ReportScope scope = ReportScope::kSome);

}  // namespace nestwalk
