#pragma once

// What a run's report says of misses beyond its statistics, for people and for programs: where they
// were, and how many pages an interval needs.

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

class IntervalLog;
class MissCensus;

/// What listened to a run, and adds to its report; null: nothing.
struct MissReport {
    const MissCensus* misses{};
    std::size_t top{};  ///< how many pages and regions are told of, at most
    const IntervalLog* intervals{};
};

/// Tables of the pages and regions that missed most and of page sizes, and a line on working sets,
/// each with an empty line before it.
std::string miss_text(const MissReport& report);
/// Adds `top` and `working_set`, where there are such.
void add_misses(const MissReport& report, nlohmann::ordered_json& json);

}  // namespace nestwalk
