#pragma once

// Writes the binary form of traces (.nwb) to a stream, block by block, in bounded memory. The
// stream need not be a file: nothing is written twice. What is written without `finish` is a trace
// that was cut short, which a reader says.

#include "traces/binary_trace_format.h"
#include "traces/trace_writer.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

class BinaryTraceWriter final : public TraceWriter {
public:
    /// `out` must outlive it; whether it could write is for the caller to ask it. `tool` is the
    /// name and version of the program, of which 40 bytes are kept.
    BinaryTraceWriter(std::ostream& out, std::string_view tool);
    ~BinaryTraceWriter() override;

    void write(const TraceItem& item) override;
    void write(const AccessRun& run) override;
    void flush() override;
    void finish() override;

private:
    struct Compressor;

    void put(const Record& record);
    void put(const RepeatBlock& block);
    void put_access(const Access& access, const std::optional<std::uint64_t>& captured_ns);
    void put_text(const Record& record);
    void begin_record(nwb::Segment segment);
    void end_segment();
    void append_time(std::string& to, std::uint64_t captured_ns);
    void section(nwb::Section section, std::string_view payload);
    void remember_block();
    void emit(std::string_view bytes);

    std::ostream& out_;
    std::unique_ptr<Compressor> compressor_;
    std::uint64_t offset_{};

    // The block that is being filled.
    std::vector<PackedAccess> accesses_{};
    std::string script_{};  ///< the segments before the current one
    nwb::Segment segment_{};
    std::string segment_body_{};
    std::uint64_t segment_records_{};
    std::uint32_t records_{};
    std::uint64_t last_time_{};
    std::uint64_t last_va_{};
    std::uint32_t depth_at_start_{};
    std::uint64_t first_{};

    std::uint32_t depth_{};
    std::uint64_t items_{};  ///< top-level records begun
    nwb::Summary summary_{};
    std::vector<nwb::IndexEntry> index_{};
    std::uint64_t index_spacing_{1};
    std::uint64_t indexable_blocks_{};
};

}  // namespace nestwalk
