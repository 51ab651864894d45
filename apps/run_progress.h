#pragma once

// How far a run is in its trace, on standard error where that is a terminal.

#include "apps/progress_line.h"
#include "traces/input_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nestwalk {

/// "1,203,000 records, 2.41 M a second, 42 %, 16 s left"; `part` of all of them, where that is
/// known.
std::string run_progress_words(std::uint64_t records, std::optional<double> part, double seconds);

class RunProgress {
public:
    /// The trace is `file`, which may be null, or ends after `records` at the latest.
    void begin(std::shared_ptr<const InputProgress> file, std::uint64_t records);
    /// So many more have been read.
    void add(std::uint64_t records) {
        if (!line_.is_seen()) return;
        records_ += records;
        not_looked_ += records;
        if (not_looked_ >= kRecordsBetweenLooks) look();
    }

private:
    static constexpr std::uint64_t kRecordsBetweenLooks = 4096;

    void look();
    std::optional<double> part() const;

    ProgressLine line_{};
    std::shared_ptr<const InputProgress> file_{};
    std::uint64_t most_records_{UINT64_MAX};
    std::uint64_t records_{};
    std::uint64_t not_looked_{};
    double next_look_{0.5};  ///< seconds; what is done by then needs no line
};

}  // namespace nestwalk
