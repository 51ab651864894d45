#pragma once

// Results to be compared, whatever wrote them: points, each with the values that were varied and
// the statistics by name.

#include "apps/statistic_values.h"
#include "apps/sweep_point.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace nestwalk {

class ResultSet {
public:
    enum class Kind : std::uint8_t { kRun, kSweep };

    virtual ~ResultSet() = default;

    Kind kind() const { return kind_; }
    const std::string& path() const { return path_; }
    /// "sweep of 60 points, nestwalk 0.1.0+1a2b3c4d5e6f, engine replay": for people.
    const std::string& origin() const { return origin_; }
    /// What is varied, in order; nothing in a run.
    const std::vector<std::string>& keys() const { return keys_; }
    const std::vector<StatisticInfo>& statistics() const { return statistics_; }
    std::size_t points() const { return values_.size(); }
    /// Of the point at this index, in the order of the keys.
    const std::vector<std::string>& values(std::size_t at) const { return values_[at]; }
    virtual PointResult result(std::size_t at) const = 0;

protected:
    ResultSet(Kind kind, std::string path) : kind_(kind), path_(std::move(path)) {}

    Kind kind_;
    std::string path_;
    std::string origin_{};
    std::vector<std::string> keys_{};
    std::vector<StatisticInfo> statistics_{};
    std::vector<std::vector<std::string>> values_{};
};

/// What is in the file: the results of a sweep (SQLite) or of a run (JSON). Throws InputError.
std::unique_ptr<ResultSet> open_results(const std::string& path);

}  // namespace nestwalk
