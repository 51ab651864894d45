#pragma once

// Misses over time: one CSV row for every so many references, with what was counted in them and the
// pages that they touched, their working set.

#include "apps/output_file.h"
#include "sim/counters.h"
#include "sim/footprint.h"
#include "sim/replay.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwalk {

/// Distinct 4-KiB pages that data references of a whole interval touched.
struct WorkingSets {
    std::uint64_t intervals{};
    std::uint64_t least{};
    std::uint64_t most{};
    std::uint64_t sum{};

    void add(std::uint64_t pages);
};

class IntervalLog final : public ReplayLog {
public:
    /// The columns of a table that asks for none.
    static const std::vector<std::string>& usual_columns();

    /// An interval is `references` long, at least 1.
    /// `columns` are names as in `expect` records, of what is counted without a clock. Throws
    /// InputError for others, and if the file cannot be created.
    IntervalLog(const std::string& path, std::uint64_t references,
                const std::vector<std::string>& columns);

    void translation(std::size_t vcpu, const Access& access, VirtAddr va, const Outcome& outcome,
                     std::optional<Cycles> completed) override;
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   std::optional<Cycles> completed) override;
    void restart() override;
    std::uint64_t takes_together() const override;
    void accesses(std::size_t vcpu, std::span<const PackedAccess> accesses, const Counters& counted,
                  std::optional<Cycles> completed) override;

    std::uint64_t references() const { return references_; }
    const WorkingSets& working_sets() const { return working_sets_; }

    /// Writes the last interval, which may be shorter, and gives the file its name. Throws
    /// InputError if something could not be written.
    void finish();
    /// What is written stays, under the name that is returned. Throws InputError likewise.
    std::string keep();

private:
    void write_row();
    void begin_interval();
    void go_on_to(std::optional<Cycles> completed);

    OutputFile file_;
    std::uint64_t references_;
    std::vector<std::vector<std::size_t>> columns_{};  ///< counters that a column adds up
    Counters counted_{};
    Footprint footprint_{};
    std::uint64_t done_{};  ///< references of this interval
    std::uint64_t number_{};
    std::uint64_t first_{1};  ///< reference of this interval
    std::optional<Cycles> completed_{};
    std::optional<Cycles> began_{};
    WorkingSets working_sets_{};
};

}  // namespace nestwalk
