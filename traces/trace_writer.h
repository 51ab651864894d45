#pragma once

// Where records go: a trace in the text or the binary form, written front to back.

#include "traces/record.h"

namespace nestwalk {

class TraceWriter {
public:
    TraceWriter() = default;
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;
    virtual ~TraceWriter() = default;

    /// The next top-level item; one that the text form can say.
    virtual void write(const TraceItem& item) = 0;
    virtual void write(const AccessRun& run) = 0;
    /// What is held back goes out, so that a reader finds everything up to here.
    virtual void flush() = 0;
    /// Ends the trace.
    virtual void finish() = 0;
};

}  // namespace nestwalk
