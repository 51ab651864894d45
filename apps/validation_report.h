#pragma once

// Validations for people (text) and for programs (JSON, CSV).

#include "apps/run_report.h"
#include "apps/validation.h"

#include <string>
#include <vector>

namespace nestwalk {

/// CSV has one row a figure; what the table is made with and its summary are in text and JSON.
std::string report_validations(const std::vector<Validation>& validations, ReportFormat format);

}  // namespace nestwalk
