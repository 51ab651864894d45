#pragma once

// What two results differ in, for people and for programs.

#include "apps/comparison.h"
#include "apps/run_report.h"

#include <cstddef>
#include <string>

namespace nestwalk {

/// Text shows at most `rows` differences, 0 being all of them; JSON and CSV have all.
std::string report_comparison(const ResultSet& a, const ResultSet& b, const Comparison& comparison,
                              ReportFormat format, std::size_t rows);

}  // namespace nestwalk
