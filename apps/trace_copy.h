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

/// The form that a file's name says, `.nwt` or `.nwb`; kAuto if it says none.
TraceFormat format_named_by(const std::string& path);

class TraceOutput {
public:
    /// Throws InputError if the file cannot be written, or its name does not say in which form.
    explicit TraceOutput(const TraceTarget& target);

    TraceWriter& writer() { return *writer_; }
    /// To be called before each record, with its number: sees to it now and then that what was
    /// written is so. Throws InputError if it is not, Interrupted after Ctrl-C.
    void check(std::uint64_t number) {
        if (number % kRecordsBetweenChecks == 0) check();
    }
    void check();

    /// Does `write`, which writes all there is and calls check(); then ends the trace.
    /// After Ctrl-C, keeps what was written and says so on standard error. Returns the exit status.
    int fill(const std::function<void()>& write);

private:
    static constexpr std::uint64_t kRecordsBetweenChecks = 1024;

    TraceOutput(const std::string& path, TraceFormat format);

    OutputFile file_;
    std::unique_ptr<TraceWriter> writer_;
};

/// Writes the records of `source` that are in `range`. Throws InputError, Interrupted.
void copy(TraceSource& source, const RecordRange& range, TraceOutput& output);

}  // namespace nestwalk
