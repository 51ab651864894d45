#pragma once

// Writes the order in which records of several vCPUs were executed as a trace in the text form:
// executed in its own order, it does the same.

#include "traces/record.h"

#include <functional>
#include <optional>
#include <string_view>

namespace nestwalk {

class ScheduleWriter {
public:
    /// Is given the trace piece by piece.
    using Sink = std::function<void(std::string_view)>;

    explicit ScheduleWriter(Sink sink);

    /// The next record, `cpu` where another vCPU goes on. One that goes on with the accesses of the
    /// one before becomes one with it.
    void write(const Record& record);
    /// The next record stays one of its own, for what follows is about it alone.
    void separate() { write_pending(); }
    /// To be called after the last.
    void finish() { write_pending(); }

private:
    bool joins(const Record& record);
    void write_pending();

    Sink sink_;
    std::optional<Record> pending_{};  ///< accesses that may go on
};

}  // namespace nestwalk
