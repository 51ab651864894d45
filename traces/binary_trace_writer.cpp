#include "traces/binary_trace_writer.h"
#include "traces/text_writer.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

#include <zstd.h>

namespace nestwalk {

using nwb::Segment;

namespace {

/// Higher levels take much longer for little; docs/trace-format.md has what was measured.
constexpr int kLevel = 1;
/// What shrinks to no less than a third is stored as it is: it is read several times as fast.
constexpr std::size_t kLeastShrinkage = 3;

std::uint64_t page_sizes_of(const Record& record) {
    const auto* operation = std::get_if<Operation>(&record.what);
    if (operation == nullptr) return 0;
    if (const auto* map = std::get_if<Map>(operation)) return page_bytes(map->size);
    if (const auto* map = std::get_if<HostMap>(operation)) return page_bytes(map->size);
    return 0;
}

std::uint8_t long_flags(const Access& access) {
    Access plain = access;
    plain.bytes = 1;
    plain.va = VirtAddr();
    return static_cast<std::uint8_t>(PackedAccess(plain).word());
}

}  // namespace

struct BinaryTraceWriter::Compressor {
    std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(),
                                                                    ZSTD_freeCCtx};
    std::string payload{};
    std::string stored{};

    /// Into `stored`, behind the section's head. Returns to how many bytes.
    std::size_t compress(std::string_view bytes, int level) {
        const std::size_t size = ZSTD_compressCCtx(
            context.get(), stored.data() + nwb::kSectionBytes, stored.size() - nwb::kSectionBytes,
            bytes.data(), bytes.size(), level);
        if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // no other error: there is room
        return size;
    }
};

BinaryTraceWriter::BinaryTraceWriter(std::ostream& out, std::string_view tool)
    : out_(out), compressor_(std::make_unique<Compressor>()) {
    if (compressor_->context == nullptr) throw std::bad_alloc();
    accesses_.reserve(nwb::kMostRecords);
    emit(nwb::encode_header(tool));
}

BinaryTraceWriter::~BinaryTraceWriter() = default;

void BinaryTraceWriter::write(const TraceItem& item) {
    if (const auto* block = std::get_if<RepeatBlock>(&item)) {
        put(*block);
    } else {
        put(std::get<Record>(item));
    }
}

void BinaryTraceWriter::write(const AccessRun& run) {
    for (std::size_t done = 0; done < run.accesses.size();) {
        begin_record(run.captured_ns.empty() ? Segment::kPlain : Segment::kTimed);
        const std::size_t room = nwb::kMostRecords - records_ + 1;
        const std::size_t count = std::min(run.accesses.size() - done, room);
        const auto part = run.accesses.subspan(done, count);
        accesses_.insert(accesses_.end(), part.begin(), part.end());
        for (const std::uint64_t t : run.captured_ns.subspan(run.captured_ns.empty() ? 0 : done,
                                                             run.captured_ns.empty() ? 0 : count)) {
            append_time(segment_body_, t);
        }
        segment_records_ += count - 1;
        records_ += static_cast<std::uint32_t>(count - 1);
        summary_.records += count - 1;
        items_ += count - 1;
        done += count;
    }
}

// --- Records ------------------------------------------------------------------------------------

/// Makes room for one more record, in a segment of that kind.
void BinaryTraceWriter::begin_record(Segment segment) {
    if (records_ == nwb::kMostRecords ||
        script_.size() + segment_body_.size() >= nwb::kFullScript) {
        flush();
    }
    if (segment != segment_ || segment >= Segment::kOpen) end_segment();
    segment_ = segment;
    ++segment_records_;
    ++records_;
    ++summary_.records;
    if (depth_ == 0) ++items_;
}

void BinaryTraceWriter::end_segment() {
    if (segment_records_ == 0) return;
    script_ += static_cast<char>(segment_);
    if (segment_ < Segment::kOpen) nwb::append_varint(script_, segment_records_);
    script_ += segment_body_;
    segment_body_.clear();
    segment_records_ = 0;
}

void BinaryTraceWriter::append_time(std::string& to, std::uint64_t captured_ns) {
    nwb::append_varint(to, nwb::zigzag(captured_ns - std::exchange(last_time_, captured_ns)));
}

void BinaryTraceWriter::put(const Record& record) {
    if (const auto* operation = std::get_if<Operation>(&record.what)) {
        if (const auto* access = std::get_if<Access>(operation)) {
            return put_access(*access, record.captured_ns);
        }
    }
    put_text(record);
}

void BinaryTraceWriter::put_access(const Access& access,
                                   const std::optional<std::uint64_t>& captured_ns) {
    if (PackedAccess::fits(access)) {
        begin_record(captured_ns ? Segment::kTimed : Segment::kPlain);
        accesses_.push_back(PackedAccess(access));
        if (captured_ns) append_time(segment_body_, *captured_ns);
        return;
    }
    begin_record(Segment::kLong);
    const std::uint8_t time = captured_ns ? nwb::kLongHasTime : std::uint8_t{0};
    segment_body_ += static_cast<char>(long_flags(access) | time);
    const std::uint64_t va = access.va.value();
    nwb::append_varint(segment_body_, access.bytes);
    nwb::append_varint(segment_body_, nwb::zigzag(va - std::exchange(last_va_, va)));
    nwb::append_varint(segment_body_, access.count);
    nwb::append_varint(segment_body_, access.stride);
    if (captured_ns) append_time(segment_body_, *captured_ns);
}

void BinaryTraceWriter::put_text(const Record& record) {
    const std::string line = record.text.empty() ? to_text(record) : record.text;
    assert(line.size() <= nwb::kLongestRecord);
    begin_record(Segment::kText);
    nwb::append_varint(segment_body_, line.size());
    segment_body_ += line;
    summary_.page_sizes |= page_sizes_of(record);
}

void BinaryTraceWriter::put(const RepeatBlock& block) {
    begin_record(block.captured_ns ? Segment::kOpenTimed : Segment::kOpen);
    nwb::append_varint(segment_body_, block.count);
    if (block.captured_ns) append_time(segment_body_, *block.captured_ns);
    ++depth_;
    for (const TraceItem& item : block.body) write(item);
    --depth_;
    end_segment();
    script_ += static_cast<char>(Segment::kClose);
}

// --- Blocks -------------------------------------------------------------------------------------

void BinaryTraceWriter::flush() {
    if (records_ == 0 && script_.empty()) return;
    end_segment();
    remember_block();
    std::string& payload = compressor_->payload;
    payload.clear();
    nwb::append_accesses(payload, accesses_);
    payload += script_;
    section({.kind = nwb::Section::Kind::kBlock,
             .records = records_,
             .accesses = static_cast<std::uint32_t>(accesses_.size()),
             .depth = depth_at_start_,
             .first = first_},
            payload);
    ++summary_.blocks;
    accesses_.clear();
    script_.clear();
    records_ = 0;
    last_time_ = 0;
    last_va_ = 0;
    depth_at_start_ = depth_;
    first_ = items_;
}

/// Keeps the index bounded: when it is full, every second entry goes.
void BinaryTraceWriter::remember_block() {
    if (depth_at_start_ != 0) return;
    if (indexable_blocks_++ % index_spacing_ != 0) return;
    if (index_.size() == nwb::kMostIndexEntries) {
        for (std::size_t i = 0; 2 * i < index_.size(); ++i) index_[i] = index_[2 * i];
        index_.resize(index_.size() / 2);
        index_spacing_ *= 2;
    }
    index_.push_back({offset_, first_});
}

void BinaryTraceWriter::finish() {
    flush();
    std::string payload;
    nwb::append_u64(payload, summary_.records);
    nwb::append_u64(payload, summary_.blocks);
    nwb::append_u64(payload, summary_.page_sizes);
    for (const nwb::IndexEntry& entry : index_) {
        nwb::append_u64(payload, entry.offset);
        nwb::append_u64(payload, entry.first);
    }
    const std::uint64_t end_offset = offset_;
    section({.kind = nwb::Section::Kind::kEnd,
             .records = static_cast<std::uint32_t>(index_.size()),
             .first = items_},
            payload);
    const auto trailer = nwb::encode_trailer(end_offset);
    emit({trailer.data(), trailer.size()});
    out_.flush();
}

/// Writes `section`, whose sizes it fills in, the payload and the checksum over both.
void BinaryTraceWriter::section(nwb::Section section, std::string_view payload) {
    std::string& stored = compressor_->stored;
    stored.resize(nwb::kSectionBytes + ZSTD_compressBound(payload.size()));
    std::size_t size = compressor_->compress(payload, kLevel);
    const bool block = section.kind == nwb::Section::Kind::kBlock;
    if (block && kLeastShrinkage * size > payload.size()) {
        size = compressor_->compress(payload, ZSTD_minCLevel());
    }
    section.stored = static_cast<std::uint32_t>(size);
    section.bytes = static_cast<std::uint32_t>(payload.size());
    const auto head = nwb::encode(section);
    std::copy(head.begin(), head.end(), stored.begin());
    stored.resize(nwb::kSectionBytes + size);
    nwb::append_u64(stored, nwb::checksum(stored));
    emit(stored);
}

void BinaryTraceWriter::emit(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset_ += bytes.size();
}

}  // namespace nestwalk
