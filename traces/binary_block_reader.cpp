#include "traces/binary_block_reader.h"
#include "traces/little_endian.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include <zstd.h>

namespace nestwalk {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;

std::string at_byte(std::uint64_t offset) { return " at byte " + std::to_string(offset); }

}  // namespace

struct BinaryBlockReader::Decompressor {
    std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context{ZSTD_createDCtx(),
                                                                    ZSTD_freeDCtx};
};

BinaryBlockReader::BinaryBlockReader(InputFile file)
    : file_(std::move(file)), decompressor_(std::make_unique<Decompressor>()) {
    if (decompressor_->context == nullptr) throw std::bad_alloc();
    const std::string_view header = need(nwb::kHeaderBytes, "the header");
    if (!header.starts_with(nwb::kMagic)) damaged(0, "no binary trace begins");
    const std::uint32_t version = nwb::decode_version(header);
    const std::optional<std::string> tool = nwb::decode_tool(header);
    if (version != nwb::kVersion)
        throw InputError({name()}, fault("unsupported version of the binary form",
                                         std::to_string(version), "version 1"));
    if (!tool) damaged(0, "damaged header");
    tool_ = *tool;
    consume(nwb::kHeaderBytes);
}

BinaryBlockReader::~BinaryBlockReader() = default;

void BinaryBlockReader::damaged(std::uint64_t offset, const std::string& what) const {
    throw DamagedTrace(what + at_byte(offset));
}

// --- Bytes --------------------------------------------------------------------------------------

/// Sees to it that so many bytes are in the buffer; false at the end of the file.
bool BinaryBlockReader::fill(std::size_t bytes) {
    if (end_ - begin_ >= bytes) return true;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < bytes + kReadBytes) buffer_.resize(bytes + kReadBytes);
    while (end_ < bytes) {
        const std::size_t got = read(buffer_.data() + end_, buffer_.size() - end_);
        if (got == 0) return false;
        end_ += got;
    }
    return true;
}

std::size_t BinaryBlockReader::read(char* to, std::size_t limit) {
    try {
        return file_.read(to, limit);
    } catch (const DamagedInput& error) {  // of the compression around the trace
        throw DamagedTrace(std::string(error.what()).substr(name().size() + 2));
    }
}

std::string_view BinaryBlockReader::need(std::size_t bytes, const char* what) {
    if (!fill(bytes)) {
        damaged(position_ + (end_ - begin_), std::string("truncated: ") + what +
                                                 at_byte(position_) +
                                                 " is not complete, the file ends");
    }
    return std::string_view(buffer_).substr(begin_, bytes);
}

void BinaryBlockReader::consume(std::size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
}

void BinaryBlockReader::move_to(std::uint64_t offset) {
    file_.seek(offset);
    begin_ = 0;
    end_ = 0;
    position_ = offset;
}

// --- Sections -----------------------------------------------------------------------------------

bool BinaryBlockReader::next() {
    read_section();
    if (section_.kind == nwb::Section::Kind::kEnd) {
        check_end();
        return false;
    }
    ++blocks_;
    if (!nwb::load_accesses({payload_.data(), section_.accesses}))
        damaged(section_offset_, "damaged: an access that means nothing in the block");
    return true;
}

void BinaryBlockReader::read_section() {
    section_offset_ = position_;
    const std::optional<nwb::Section> section =
        nwb::decode_section(need(nwb::kSectionBytes, "the block or end"));
    if (!section) damaged(section_offset_, "damaged: neither a block nor the end");
    section_ = *section;
    const std::size_t hashed = nwb::kSectionBytes + section_.stored;
    const std::string_view all = need(hashed + nwb::kChecksumBytes, "the block or end");
    if (little_endian<std::uint64_t>(all, hashed) != nwb::checksum(all.substr(0, hashed)))
        damaged(section_offset_, "damaged: wrong checksum of the block or end");
    payload_.resize(std::max(payload_.size(), section_.bytes / sizeof(PackedAccess) + 1));
    const std::size_t size = ZSTD_decompressDCtx(decompressor_->context.get(), payload_.data(),
                                                 payload_.size() * sizeof(PackedAccess),
                                                 all.data() + nwb::kSectionBytes, section_.stored);
    if (ZSTD_isError(size) != 0 || size != section_.bytes)
        damaged(section_offset_, "damaged: compressed data of the block or end");
    consume(hashed + nwb::kChecksumBytes);
}

std::string_view BinaryBlockReader::payload() const {
    return {reinterpret_cast<const char*>(payload_.data()), section_.bytes};
}

std::string_view BinaryBlockReader::script() const {
    return payload().substr(section_.accesses * sizeof(PackedAccess));
}

/// The end that has just been read, the trailer behind it, and nothing behind that.
void BinaryBlockReader::check_end() {
    summary_ = {little_endian<std::uint64_t>(payload(), 0),
                little_endian<std::uint64_t>(payload(), 8),
                little_endian<std::uint64_t>(payload(), 16)};
    if (from_start_ && summary_.blocks != blocks_)
        damaged(section_offset_, "damaged: " + std::to_string(summary_.blocks) +
                                     " blocks expected, " + std::to_string(blocks_) + " found");
    const std::optional<std::uint64_t> end =
        nwb::decode_trailer(need(nwb::kTrailerBytes, "the trailer"));
    if (end != section_offset_) damaged(position_, "damaged: no trailer");
    consume(nwb::kTrailerBytes);
    if (fill(1)) damaged(position_, "damaged: something behind the end");
}

std::uint64_t BinaryBlockReader::seek(std::uint64_t first) {
    const std::optional<std::uint64_t> size = file_.size();
    if (!size || *size < nwb::kHeaderBytes + nwb::kTrailerBytes) return 0;
    const std::uint64_t start = position_;
    nwb::IndexEntry best{start, 0};
    move_to(*size - nwb::kTrailerBytes);
    const std::optional<std::uint64_t> end =
        nwb::decode_trailer(need(nwb::kTrailerBytes, "the trailer"));
    // Without a trailer there is no index; reading on will come to where the end is missing.
    if (end && *end >= start && *end < *size - nwb::kTrailerBytes) {
        move_to(*end);
        read_section();
        if (section_.kind != nwb::Section::Kind::kEnd) damaged(*end, "damaged: no end");
        best = indexed(first, best);
        if (best.offset < start || best.offset >= *end) damaged(*end, "damaged: index of the end");
    }
    move_to(best.offset);
    from_start_ = best.offset == start;
    return best.first;
}

/// The last entry of the end that has just been read which is not behind `first`.
nwb::IndexEntry BinaryBlockReader::indexed(std::uint64_t first, nwb::IndexEntry otherwise) const {
    const std::string_view index = payload().substr(nwb::kSummaryBytes);
    for (std::size_t at = 0; at < index.size(); at += nwb::kIndexEntryBytes) {
        const nwb::IndexEntry entry{little_endian<std::uint64_t>(index, at),
                                    little_endian<std::uint64_t>(index, at + 8)};
        if (entry.first > first) break;
        otherwise = entry;
    }
    return otherwise;
}

}  // namespace nestwalk
