#pragma once

// Every statistic that a run is reported with, by name: the counters, and what is known of the run
// as a whole.

#include "apps/simulation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

struct StatisticInfo {
    std::string name{};
    std::string unit{};
    std::string description{};
    bool thousandths{};  ///< values are in thousandths of the unit

    bool operator==(const StatisticInfo&) const = default;
};

/// In the order of reports.
const std::vector<StatisticInfo>& statistic_infos();

/// A value is absent where no such time is kept, or the statistic is of whole runs only.
using StatisticValue = std::optional<std::uint64_t>;

/// The statistics of a run as a whole, or of one of its phases.
struct PhaseValues {
    std::optional<std::string> phase{};  ///< its name; absent for the whole
    std::vector<StatisticValue> values{};

    bool operator==(const PhaseValues&) const = default;
};

/// The whole, then each phase. `values` are in the order of `statistic_infos()`.
std::vector<PhaseValues> statistics_of(const RunResult& result);

/// Indices of the statistics that `name` means: one ("stale_hits"; the singular will do), or a
/// group whose members are added up ("stlb.misses"), as in an `expect` record. Empty if there is
/// none.
std::vector<std::size_t> statistics_named(const std::vector<StatisticInfo>& infos,
                                          const std::string& name);

/// "1203", or "3.65" of thousandths.
std::string exact_value(const StatisticInfo& info, std::uint64_t value);
/// The same with thousands apart: "1,203".
std::string readable_value(const StatisticInfo& info, std::uint64_t value);
/// What a phase is called in tables: what comes before the first one has no name.
std::string phase_words(const std::string& phase);

}  // namespace nestwalk
