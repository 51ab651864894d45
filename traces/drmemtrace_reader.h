#pragma once

// Reads the binary traces of DynamoRIO's drmemtrace as drraw2trace writes them: entries of 12
// bytes, a type, a size and an address (`trace_entry_t` of 64-bit programs).

#include "traces/foreign_binary_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestwalk {

class DrmemtraceReader final : public ForeignBinaryReader {
public:
    DrmemtraceReader(InputFile file, const ImportOptions& options);

    /// True if the first entries are a header and what may follow it.
    static bool recognises(std::string_view sample);

private:
    void read(std::string_view record, ImportSink& sink) override;
    void read_marker(std::uint16_t type, std::uint64_t value, ImportSink& sink);
    void fetch(std::uint64_t pc, std::uint64_t bytes, ImportSink& sink);

    std::uint64_t pc_{};     ///< of the instruction last fetched
    std::uint64_t bytes_{};  ///< its length
    std::size_t headers_{};
    std::size_t markers_{};
    std::size_t encodings_{};
    std::size_t hints_{};
    std::size_t unfetched_{};
};

}  // namespace nestwalk
