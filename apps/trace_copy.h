#pragma once

// Writing a trace to where the user wants it: in either form, and in such a way that Ctrl-C leaves
// what was read until then.

#include "apps/output_file.h"
#include "apps/trace_options.h"
#include "traces/record.h"
#include "traces/trace_writer.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace nestwalk {

/// Top-level records of a trace; a `repeat` block is one.
struct RecordRange {
    std::uint64_t skip{};
    std::uint64_t limit{UINT64_MAX};
};

class TraceOutput {
public:
    /// Throws InputError if the file cannot be written, or its name does not say in which form.
    explicit TraceOutput(const TraceTarget& target);

    TraceWriter& writer() { return *writer_; }
    /// Throws InputError if something could not be written, Interrupted after Ctrl-C.
    void check();

    /// Does `write`, which writes all there is and calls check() now and then; then ends the trace.
    /// After Ctrl-C, keeps what was written and says so on standard error. Returns the exit status.
    int fill(const std::function<void()>& write);

private:
    TraceOutput(const std::string& path, TraceFormat format);

    OutputFile file_;
    std::unique_ptr<TraceWriter> writer_;
};

/// Writes the records of `source` that are in `range`. Returns how many there were. Throws
/// InputError, Interrupted.
std::uint64_t copy(TraceSource& source, const RecordRange& range, TraceOutput& output);

}  // namespace nestwalk
