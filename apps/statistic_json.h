#pragma once

// Statistics in JSON results, by name.

#include "apps/statistic_values.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

/// {"walks.load": 12, "cycles.total": 3.65}: those that have a value.
nlohmann::ordered_json statistics_json(const std::vector<StatisticInfo>& infos,
                                       const PhaseValues& of);
/// {"walks.load": {"unit": "walks", "description": "..."}}: those that have a value.
nlohmann::ordered_json legend_json(const std::vector<StatisticInfo>& infos, const PhaseValues& of);

}  // namespace nestwalk
