#pragma once

// Results of a sweep in a file: an SQLite database with tables that people can query too
// (docs/sweeps.md, "The results file").
//
// What is stored survives whatever ends the program: every put() is one transaction. The journal is
// SQLite's rollback journal, with synchronous=FULL: a killed process and a lost power line leave
// the file as it was after a transaction. A write-ahead log would be faster, but its index lives in
// memory that processes share, which network file systems, where arrays of jobs write, do not have.

#include "apps/file_lock.h"
#include "apps/shard.h"
#include "apps/sqlite.h"
#include "apps/statistic_values.h"
#include "apps/sweep_description.h"
#include "apps/sweep_point.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

class SweepStore {
public:
    enum class Opening : std::uint8_t { kNew, kResume };

    /// For writing. kResume also takes a file that does not exist or is empty. ":memory:" is no
    /// file. Throws InputError for a file that exists (kNew), is in use, is no results file, or is
    /// of another sweep, program or shard (kResume).
    SweepStore(const std::string& path, const SweepDescription& description, Shard shard,
               Opening opening);
    /// For reading. Throws InputError.
    explicit SweepStore(const std::string& path);

    const std::string& path() const { return database_.path(); }
    const SweepDescription& description() const { return description_; }
    Shard shard() const { return shard_; }
    const std::vector<StatisticInfo>& statistics() const { return statistics_; }

    /// To be called in processes that are forked to work for this one, and use nothing of it.
    void leave_to_parent() {
        if (lock_) lock_->leave_to_parent();
    }

    /// Stores results, all of them or, if that fails, none. One of a point that is there already
    /// takes its place.
    void put(const std::vector<PointResult>& results);

    /// How many points are stored, and how many of these are not done.
    std::size_t stored() const;
    std::size_t not_done() const;
    /// The first of these, without their statistics.
    std::vector<PointResult> first_not_done(std::size_t most) const;
    /// Of all stored points, rising.
    std::vector<std::size_t> numbers() const;
    /// Of each point, at its number: whether a result is stored that running it again would not
    /// change. The number 0 is none.
    std::vector<bool> finished() const;
    /// Calls `take` for every stored point, in order.
    void for_each(const std::function<void(const PointResult&)>& take) const;
    /// The stored result of a point, if there is one.
    std::optional<PointResult> find(std::size_t point) const;

private:
    std::vector<PointResult> after(std::size_t point) const;
    void make_or_leave_none(Opening opening);
    void make();
    void make_tables();
    void describe();
    void describe_values();
    void read();

    std::optional<FileLock> lock_;
    Database database_;
    SweepDescription description_{};
    Shard shard_{};
    std::vector<StatisticInfo> statistics_{};
};

}  // namespace nestwalk
