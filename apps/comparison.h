#pragma once

// Two results, point by point and statistic by statistic.

#include "apps/result_set.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// A value that differs. Absent where one of the two has no such statistic, or kept no time.
struct StatisticDifference {
    std::size_t point{};                 ///< of Comparison::points
    std::optional<std::string> phase{};  ///< absent: the run as a whole
    StatisticInfo info{};
    StatisticValue a{};
    StatisticValue b{};

    /// |b - a| / max(a, b): 1 where one of them is 0 or absent.
    double size() const;
};

/// A point of both that one could run and the other not, or of which they have different phases.
struct PointDifference {
    std::size_t point{};  ///< of Comparison::points
    std::string words{};
};

struct Comparison {
    std::vector<std::string> keys{};                 ///< of A
    std::vector<std::vector<std::string>> points{};  ///< in both, by their values
    std::vector<std::vector<std::string>> only_a{};
    std::vector<std::vector<std::string>> only_b{};
    std::vector<PointDifference> point_differences{};
    /// The largest first.
    std::vector<StatisticDifference> differences{};

    bool equal() const {
        return only_a.empty() && only_b.empty() && point_differences.empty() && differences.empty();
    }
};

/// Points are matched by the values of their keys, phases by their names. Throws InputError if one
/// is a run and the other a sweep, or if they vary different keys.
Comparison compare(const ResultSet& a, const ResultSet& b);

}  // namespace nestwalk
