#pragma once

// What the readers of foreign binary formats have in common: records of one size, one after the
// other, whose meaning goes into an ImportSink and comes out of it as records of a trace.

#include "traces/import_options.h"
#include "traces/import_sink.h"
#include "traces/input_file.h"
#include "traces/record.h"
#include "traces/sample_lines.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

class ForeignBinaryReader : public TraceSource {
public:
    const TraceItem* next() final;
    const std::string& name() const final { return file_.name(); }
    const ImportReport* import_report() const final { return &sink_.report(); }

protected:
    /// `record_bytes` is at most kMostBytes.
    ForeignBinaryReader(InputFile file, const ImportOptions& options, std::string format,
                        std::size_t record_bytes);
    static constexpr std::size_t kMostBytes = 4096;

    /// Gives the sink what the record means; `record` is as long as all are. Throws InputError.
    virtual void read(std::string_view record, ImportSink& sink) = 0;

    ImportSink& sink() { return sink_; }
    std::string_view sample() { return file_.peek(kSampleBytes); }
    /// "FILE: record N at byte M: WHAT; expected EXPECTED", about the record last read.
    [[noreturn]] void reject(const std::string& what, const std::string& expected) const;

private:
    bool fill();

    InputFile file_;
    ImportSink sink_;
    std::size_t record_bytes_{};
    std::vector<char> buffer_{};
    std::size_t begin_{};
    std::size_t end_{};
    std::uint64_t records_{};
    bool at_end_{};
};

}  // namespace nestwalk
