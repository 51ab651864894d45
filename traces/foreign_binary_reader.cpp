#include "traces/foreign_binary_reader.h"
#include "traces/source_location.h"

#include <cassert>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::size_t kBlock = std::size_t{64} * 1024;

}  // namespace

ForeignBinaryReader::ForeignBinaryReader(InputFile file, const ImportOptions& options,
                                         std::string format, std::size_t record_bytes)
    : file_(std::move(file)),
      sink_(options, std::move(format), file_.name()),
      record_bytes_(record_bytes),
      buffer_(kBlock + kMostBytes) {
    assert(record_bytes <= kMostBytes);
    sink_.records();
}

const TraceItem* ForeignBinaryReader::next() {
    for (;;) {
        if (const TraceItem* item = sink_.next()) return item;
        if (end_ - begin_ < record_bytes_ && !fill()) {
            if (!std::exchange(at_end_, true)) sink_.finish();
            return nullptr;
        }
        const std::string_view record(buffer_.data() + begin_, record_bytes_);
        begin_ += record_bytes_;
        sink_.at(++records_);
        read(record, sink_);
    }
}

// Reads until a record is in the buffer; false at the end of the file.
bool ForeignBinaryReader::fill() {
    const std::size_t kept = end_ - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
    begin_ = 0;
    end_ = kept;
    while (end_ < record_bytes_) {
        const std::size_t got = file_.read(buffer_.data() + end_, kBlock);
        if (got == 0) {
            if (end_ == 0) return false;
            ++records_;
            reject("cut short: it has " + std::to_string(end_) + " bytes",
                   std::to_string(record_bytes_));
        }
        end_ += got;
    }
    return true;
}

void ForeignBinaryReader::reject(const std::string& what, const std::string& expected) const {
    throw InputError({file_.name()}, "record " + std::to_string(records_) + " at byte " +
                                         std::to_string((records_ - 1) * record_bytes_) + ": " +
                                         what + "; expected " + expected);
}

}  // namespace nestwalk
