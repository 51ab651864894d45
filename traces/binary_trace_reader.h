#pragma once

// Reads the binary form of traces (.nwb). Plain accesses are handed out in bulk, straight from the
// decompressed block. A record's `line` is its number in the trace, from 1, where a `repeat` block
// counts as one; its `column` is 0, or inside a block the record's number in the block.

#include "traces/binary_block_reader.h"
#include "traces/fields.h"
#include "traces/record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// What becomes of a trace that is damaged or ends before its end.
enum class Truncation : std::uint8_t {
    kRefused,  ///< an error
    kAllowed,  ///< the records before that are the trace; TraceSource::cut_short tells
};

class BinaryTraceReader final : public TraceSource {
public:
    explicit BinaryTraceReader(InputFile file, Truncation truncation = Truncation::kRefused);

    const TraceItem* next() override;
    AccessRun next_accesses() override;
    std::uint64_t skip(std::uint64_t records) override;
    std::vector<std::pair<std::string, std::string>> properties() const override;
    std::optional<CutShort> cut_short() const override { return cut_short_; }
    const std::string& name() const override { return place_.file; }

    /// The blocks, for who wants to know about them. Null if not even the header is good.
    const BinaryBlockReader* blocks() const { return blocks_ ? &*blocks_ : nullptr; }

private:
    template <typename Function>
    auto guarded(Function&& function) -> decltype(function());
    void end_early(const std::string& what);

    std::optional<nwb::Segment> upcoming();
    bool begin_block();
    void begin_segment();
    void check_block_end() const;

    const TraceItem* next_item();
    AccessRun next_run();
    void read_access(Record& record);
    Access read_long(std::optional<std::uint64_t>& captured_ns);
    void read_text(Record& record);
    void read_repeat(RepeatBlock& block);
    void count_record();
    void place(Record& record);

    std::uint64_t varint();
    std::uint64_t time();
    std::string_view bytes(std::uint64_t size);
    [[noreturn]] void damaged(const char* what) const;

    Truncation truncation_{};
    std::optional<BinaryBlockReader> blocks_{};
    std::optional<CutShort> cut_short_{};
    bool ended_{};

    // The block of the file that is being read, and its segment.
    std::string_view script_{};
    std::span<const PackedAccess> accesses_{};
    std::uint32_t records_left_{};
    nwb::Segment segment_{};
    std::uint64_t segment_left_{};
    std::uint64_t last_time_{};
    std::uint64_t last_va_{};
    std::vector<std::uint64_t> times_{};  ///< of the segment's accesses

    std::uint64_t items_{};      ///< top-level records begun
    int depth_{};                ///< of `repeat` blocks that are open
    std::uint64_t in_repeat_{};  ///< records of the outermost of them, it included
    std::uint64_t weight_{};     ///< the same, where long ones count as several
    LinePlace place_{};
    Fields fields_{place_};
    TraceItem access_item_{};  ///< always an Access, so that it need not become one each time
    TraceItem item_{};
};

}  // namespace nestwalk
