#pragma once

// Says on which vCPU each record of a trace, or of the body of a `repeat` block, runs: on the one
// that the last `cpu` record named. Explanations stay with the operation after them, expectations
// with the one before them.

#include "traces/stream_block.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

class StreamSorter {
public:
    /// Whether records that write page tables may still be part of the set-up that comes before
    /// everything else.
    enum class At : std::uint8_t { kStartOfTrace, kElsewhere };

    /// `current`: the vCPU that the first record runs on; none in the body of a block. `source` is
    /// for errors and must outlive the sorter.
    StreamSorter(std::uint32_t vcpus, std::optional<std::uint32_t> current, At at,
                 const std::string& source);

    /// Throws InputError for a `cpu` record beyond the vCPUs.
    void add(const TraceItem& item);
    /// To be called after the last item.
    void finish() { close(); }

    /// What is known so far to be complete, in order; the caller takes it away. The last operation
    /// may not be, since an expectation may follow.
    std::vector<PlacedItem>& placed() { return placed_; }
    std::optional<std::uint32_t> current() const { return current_; }

private:
    void add_record(const Record& record);
    void select(const Record& record, std::uint32_t cpu);
    bool is_barrier(const Record& record);
    void close();

    std::uint32_t vcpus_;
    std::optional<std::uint32_t> current_;
    bool setting_up_;
    const std::string& source_;
    std::vector<Record> open_{};  ///< explanations, an operation, expectations
    bool has_operation_{};        ///< in open_
    bool barrier_{};              ///< that operation is one
    std::vector<PlacedItem> placed_{};
};

}  // namespace nestwalk
