#pragma once

// What became of a foreign trace, for people and for programs.

#include "traces/import_report.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

/// A few lines, with a line end: what was used, what was skipped and why, which ids were merged.
std::string import_text(const ImportReport& report);
nlohmann::ordered_json import_json(const ImportReport& report);

}  // namespace nestwalk
