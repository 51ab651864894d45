#pragma once

// What the readers of foreign text formats have in common: a line is read, what it means goes into
// an ImportSink, and comes out of it as records.

#include "traces/import_options.h"
#include "traces/import_sink.h"
#include "traces/line_reader.h"
#include "traces/line_scanner.h"
#include "traces/record.h"

#include <string>

namespace nestwalk {

class ForeignTextReader : public TraceSource {
public:
    const TraceItem* next() final;
    const std::string& name() const final { return lines_.name(); }
    const ImportReport* import_report() const final { return &sink_.report(); }

protected:
    ForeignTextReader(LineReader lines, const ImportOptions& options, std::string format);

    /// Gives the sink what the line means. Throws InputError.
    virtual void read(LineScanner& line, ImportSink& sink) = 0;
    /// Gives the sink what the end of the trace means.
    virtual void finish(ImportSink&) {}

    /// What has not been read yet, to see a dialect by.
    std::string_view sample() { return lines_.peek(); }
    ImportSink& sink() { return sink_; }

private:
    LineReader lines_;
    ImportSink sink_;
    bool at_end_{};
};

}  // namespace nestwalk
