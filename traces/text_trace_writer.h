#pragma once

// Writes the text form of traces (.nwt) to a stream.

#include "traces/trace_writer.h"

#include <ostream>
#include <string>

namespace nestwalk {

class TextTraceWriter final : public TraceWriter {
public:
    /// `out` must outlive it; whether it could write is for the caller to ask it.
    explicit TextTraceWriter(std::ostream& out);

    void write(const TraceItem& item) override;
    void write(const AccessRun& run) override;
    void flush() override;
    void finish() override { flush(); }

private:
    void flush_if_long();

    std::ostream& out_;
    std::string text_{};
};

}  // namespace nestwalk
