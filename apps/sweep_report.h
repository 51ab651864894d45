#pragma once

// The results of a sweep: a table for people, JSON and CSV with everything for programs.

#include "apps/run_report.h"
#include "apps/sweep_store.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// What the table for people shows of each point.
struct SweepColumns {
    std::vector<std::string>
        names{};  ///< statistics or groups of them; empty: a few of use to most
    std::optional<std::string> phase{};  ///< absent: the run as a whole
};

/// Throws InputError for a name that means none of the statistics.
void check_columns(const std::vector<StatisticInfo>& statistics,
                   const std::vector<std::string>& names);

/// Hands the report over piece by piece: it may be larger than memory. Throws what check_columns
/// throws.
void report_sweep(const SweepStore& store, ReportFormat format, const SweepColumns& columns,
                  const std::function<void(const std::string&)>& take);

}  // namespace nestwalk
