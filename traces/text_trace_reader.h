#pragma once

// Reads the text form of traces (.nwt), from a file or from a program inside an experiment.
// Top-level records are handed out one at a time and take no memory; a `repeat` block is held
// whole, with what it nests.

#include "traces/fields.h"
#include "traces/line_reader.h"
#include "traces/record.h"
#include "traces/source_location.h"

#include <cstdint>
#include <string>

namespace nestwalk {

class TextTraceReader final : public TraceSource {
public:
    explicit TextTraceReader(LineReader lines);
    /// `start`: see LineReader.
    TextTraceReader(std::string program, const SourceLocation& start);

    /// The first record may be `nestwalk-trace 1`; a trace without it is taken to be version 1.
    const TraceItem* next() override;
    const std::string& name() const override { return lines_.name(); }

private:
    bool read_words();
    void parse_header();
    void parse_block(RepeatBlock& block, int depth, std::uint64_t& records);

    LineReader lines_;
    Fields fields_;
    TraceItem item_{};
    bool at_first_record_{true};
};

}  // namespace nestwalk
