#pragma once

// The statistics of a run, for people (aligned text) and for programs (JSON, CSV).

#include "apps/miss_report.h"
#include "apps/simulation.h"

#include <cstdint>
#include <string>

namespace nestwalk {

enum class ReportFormat : std::uint8_t { kText, kJson, kCsv };

/// Text leaves out statistics that are 0 everywhere; JSON and CSV have all of them, always.
/// `misses` are in text and JSON.
std::string report_run(const Experiment& experiment, const RunResult& result, ReportFormat format,
                       const MissReport& misses = {});

/// "haswell-ep, nested paging, guest 2M on host 4K": what an experiment runs on, in a line.
std::string describe_system(const Experiment& experiment);

}  // namespace nestwalk
