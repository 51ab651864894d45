#pragma once

// The blocks of a binary trace, checked and decompressed, one at a time and in bounded memory
// whatever the file claims. What they say is BinaryTraceReader's to read.

#include "traces/binary_trace_format.h"
#include "traces/input_file.h"
#include "traces/packed_access.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

/// Thrown for what is no whole binary trace: what() says what is wrong, and at which byte.
class DamagedTrace : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class BinaryBlockReader {
public:
    /// Reads the header. Throws InputError for another version, DamagedTrace.
    explicit BinaryBlockReader(InputFile file);
    ~BinaryBlockReader();

    /// The next block; false behind the last one, once the end has been checked. Throws InputError,
    /// DamagedTrace.
    bool next();
    /// Of the block read last.
    const nwb::Section& section() const { return section_; }
    std::span<const PackedAccess> accesses() const { return {payload_.data(), section_.accesses}; }
    std::string_view script() const;
    /// Where in the file it begins.
    std::uint64_t offset() const { return section_offset_; }

    /// Goes to the last block in the index that begins with the top-level record `first` or one
    /// before it. Stays where it is if the file cannot be read from anywhere but its beginning.
    /// Returns how many top-level records begin before it. Throws InputError, DamagedTrace.
    std::uint64_t seek(std::uint64_t first);

    /// Meaningful once next() has returned false.
    const nwb::Summary& summary() const { return summary_; }
    const std::string& tool() const { return tool_; }
    const std::string& name() const { return file_.name(); }

private:
    struct Decompressor;

    bool fill(std::size_t bytes);
    std::size_t read(char* to, std::size_t limit);
    std::string_view need(std::size_t bytes, const char* what);
    void consume(std::size_t bytes);
    void move_to(std::uint64_t offset);
    void read_section();
    void check_end();
    nwb::IndexEntry indexed(std::uint64_t first, nwb::IndexEntry otherwise) const;
    std::string_view payload() const;
    [[noreturn]] void damaged(std::uint64_t offset, const std::string& what) const;

    InputFile file_;
    std::string buffer_{};
    std::size_t begin_{};
    std::size_t end_{};
    std::uint64_t position_{};  ///< in the file, of buffer_[begin_]
    std::unique_ptr<Decompressor> decompressor_;
    std::vector<PackedAccess> payload_{};  ///< of the section read last
    nwb::Section section_{};
    std::uint64_t section_offset_{};
    nwb::Summary summary_{};
    std::uint64_t blocks_{};
    bool from_start_{true};
    std::string tool_{};
};

}  // namespace nestwalk
