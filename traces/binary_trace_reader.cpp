#include "traces/binary_trace_reader.h"
#include "traces/record_parser.h"
#include "traces/text_check.h"

#include <utility>
#include <variant>

namespace nestwalk {

using nwb::Segment;

namespace {

constexpr std::uint64_t kMostAccessBytes = 4096;

/// A read of a `plain` or `timed` segment needs packed accesses.
bool is_packed(Segment segment) { return segment == Segment::kPlain || segment == Segment::kTimed; }

}  // namespace

BinaryTraceReader::BinaryTraceReader(InputFile file, Truncation truncation)
    : truncation_(truncation), place_{file.name(), 0, 0} {
    access_item_.emplace<Record>().what = Operation(Access{});
    guarded([&] {
        blocks_.emplace(std::move(file));
        return true;
    });
}

// --- What is damaged ----------------------------------------------------------------------------

template <typename Function>
auto BinaryTraceReader::guarded(Function&& function) -> decltype(function()) {
    if (ended_) return {};
    try {
        return function();
    } catch (const DamagedTrace& error) {
        end_early(error.what());
        return {};
    }
}

/// Throws InputError unless a trace that is cut short is allowed.
void BinaryTraceReader::end_early(const std::string& what) {
    ended_ = true;
    const std::uint64_t good = items_ - (depth_ != 0 ? 1 : 0);
    const std::string reason =
        what + "; " + std::to_string(good) +
        (good == 1 ? " record before that is good" : " records before that are good");
    if (truncation_ == Truncation::kRefused)
        throw InputError({name()}, reason + "; expected a whole trace, or --allow-truncated");
    cut_short_ = CutShort{name() + ": " + reason, good};
}

void BinaryTraceReader::damaged(const char* what) const {
    throw DamagedTrace(std::string("damaged: ") + what + " in the block at byte " +
                       std::to_string(blocks_->offset()));
}

// --- Blocks and segments ------------------------------------------------------------------------

const TraceItem* BinaryTraceReader::next() {
    return guarded([&] { return next_item(); });
}

AccessRun BinaryTraceReader::next_accesses() {
    return guarded([&] { return next_run(); });
}

std::uint64_t BinaryTraceReader::skip(std::uint64_t records) {
    return guarded([&] {
        items_ = blocks_->seek(records);
        return items_;
    });
}

/// The kind of what comes next, begun already; nothing at the end of the trace.
std::optional<Segment> BinaryTraceReader::upcoming() {
    while (segment_left_ == 0) {
        if (script_.empty()) {
            check_block_end();
            if (!begin_block()) return std::nullopt;
        }
        begin_segment();
    }
    return segment_;
}

void BinaryTraceReader::check_block_end() const {
    if (!accesses_.empty()) damaged("accesses without a segment");
    if (records_left_ != 0) damaged("fewer records than announced");
}

bool BinaryTraceReader::begin_block() {
    if (!blocks_->next()) {
        if (depth_ != 0) throw DamagedTrace("damaged: the end inside of a repeat block");
        ended_ = true;
        return false;
    }
    const nwb::Section& section = blocks_->section();
    if (section.first != items_ || section.depth != static_cast<std::uint32_t>(depth_))
        damaged("another record than follows here");
    script_ = blocks_->script();
    accesses_ = blocks_->accesses();
    records_left_ = section.records;
    last_time_ = 0;
    last_va_ = 0;
    return true;
}

void BinaryTraceReader::begin_segment() {
    const auto kind = static_cast<unsigned char>(bytes(1).front());
    if (kind > static_cast<unsigned char>(Segment::kClose)) damaged("unknown segment");
    segment_ = static_cast<Segment>(kind);
    if (segment_ >= Segment::kOpen) {
        segment_left_ = 1;
        return;
    }
    segment_left_ = varint();
    if (segment_left_ == 0 || segment_left_ > records_left_) damaged("segment too long");
    if (!is_packed(segment_)) return;
    if (segment_left_ > accesses_.size()) damaged("segment without accesses");
    times_.clear();
    if (segment_ == Segment::kTimed)
        for (std::uint64_t i = 0; i < segment_left_; ++i) times_.push_back(time());
}

std::string_view BinaryTraceReader::bytes(std::uint64_t size) {
    if (size > script_.size()) damaged("segment cut off");
    const std::string_view found = script_.substr(0, size);
    script_.remove_prefix(size);
    return found;
}

std::uint64_t BinaryTraceReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes(1).front());
        value |= std::uint64_t{byte & 0x7fu} << shift;
        if (shift == 63 && byte > 1) break;
        if (byte < 0x80) return value;
    }
    damaged("number too large");
}

std::uint64_t BinaryTraceReader::time() { return last_time_ += nwb::unzigzag(varint()); }

std::vector<std::pair<std::string, std::string>> BinaryTraceReader::properties() const {
    std::vector<std::pair<std::string, std::string>> all;
    if (!blocks_) return all;
    all.emplace_back("written by", blocks_->tool());
    if (!ended_ || cut_short_) return all;  // the rest is in the end
    const nwb::Summary& summary = blocks_->summary();
    all.emplace_back("blocks", std::to_string(summary.blocks));
    std::string sizes;
    for (const PageSize size : {PageSize::k4K, PageSize::k2M, PageSize::k1G})
        if ((summary.page_sizes & page_bytes(size)) != 0)
            sizes += (sizes.empty() ? "" : ", ") + std::string(name_of(size));
    if (!sizes.empty()) all.emplace_back("maps pages of", sizes);
    return all;
}

// --- Records ------------------------------------------------------------------------------------

AccessRun BinaryTraceReader::next_run() {
    const std::optional<Segment> segment = upcoming();
    if (!segment || !is_packed(*segment)) return {};
    const AccessRun run{.accesses = accesses_.first(segment_left_),
                        .first_line = items_ + 1,
                        .captured_ns = std::span(times_).last(times_.empty() ? 0 : segment_left_)};
    accesses_ = accesses_.subspan(segment_left_);
    records_left_ -= static_cast<std::uint32_t>(segment_left_);
    items_ += segment_left_;
    segment_left_ = 0;
    return run;
}

const TraceItem* BinaryTraceReader::next_item() {
    const std::optional<Segment> segment = upcoming();
    if (!segment) return nullptr;
    switch (*segment) {
        case Segment::kPlain:
        case Segment::kTimed:
        case Segment::kLong:
            read_access(std::get<Record>(access_item_));
            ++items_;
            return &access_item_;
        case Segment::kText:
            if (!std::holds_alternative<Record>(item_)) item_ = Record{};
            read_text(std::get<Record>(item_));
            ++items_;
            return &item_;
        case Segment::kOpen:
        case Segment::kOpenTimed:
            in_repeat_ = 0;
            weight_ = 0;
            ++items_;
            read_repeat(item_.emplace<RepeatBlock>());
            return &item_;
        case Segment::kClose:
            break;
    }
    damaged("the end of a repeat block that never began");
}

/// One record of the block fewer, and one of the `repeat` around it more.
void BinaryTraceReader::count_record() {
    if (records_left_ == 0) damaged("more records than announced");
    --records_left_;
    --segment_left_;
    if (depth_ == 0) return;
    ++in_repeat_;
    if (++weight_ > 1 + kMostRecordsInBlock) damaged("too many records in a repeat block");
}

void BinaryTraceReader::place(Record& record) {
    record.line = depth_ == 0 ? items_ + 1 : items_;
    record.column = depth_ == 0 ? 0 : in_repeat_;
}

void BinaryTraceReader::read_access(Record& record) {
    count_record();
    place(record);
    record.captured_ns.reset();
    Access access{};
    if (segment_ == Segment::kLong) {
        access = read_long(record.captured_ns);
    } else {
        access = accesses_.front().access();
        accesses_ = accesses_.subspan(1);
        if (segment_ == Segment::kTimed)
            record.captured_ns = times_[times_.size() - segment_left_ - 1];
    }
    auto* operation = std::get_if<Operation>(&record.what);
    if (operation == nullptr) operation = &record.what.emplace<Operation>();
    *operation = access;
}

Access BinaryTraceReader::read_long(std::optional<std::uint64_t>& captured_ns) {
    const auto flags = static_cast<std::uint8_t>(bytes(1).front());
    const PackedAccess plain(flags & 0x7fu);
    if (!plain.is_valid()) damaged("an access that means nothing");
    Access access = plain.access();
    access.bytes = varint();
    access.va = VirtAddr(last_va_ += nwb::unzigzag(varint()));
    access.count = varint();
    access.stride = varint();
    if ((flags & nwb::kLongHasTime) != 0) captured_ns = time();
    if (access.bytes == 0 || access.bytes > kMostAccessBytes || access.count == 0)
        damaged("an access that means nothing");
    return access;
}

void BinaryTraceReader::read_text(Record& record) {
    count_record();
    place_.line = depth_ == 0 ? items_ + 1 : items_;
    const std::uint64_t size = varint();
    if (size > nwb::kLongestRecord) damaged("a record too long");
    const std::string_view line = bytes(size);
    check_text(line, place_);
    if (!fields_.split(line)) damaged("an empty record");
    parse_record(fields_, record);
    place(record);
    weight_ += heaviness(record);
}

void BinaryTraceReader::read_repeat(RepeatBlock& block) {
    if (++depth_ > kDeepestNesting) damaged("repeat blocks nested too deep");
    count_record();
    block.line = items_;
    block.count = varint();
    if (segment_ == Segment::kOpenTimed) block.captured_ns = time();
    for (;;) {
        const std::optional<Segment> segment = upcoming();
        if (*segment == Segment::kClose) {
            --segment_left_;
            --depth_;
            return;
        }
        if (*segment >= Segment::kOpen) {
            read_repeat(block.body.emplace_back().emplace<RepeatBlock>());
        } else if (*segment == Segment::kText) {
            read_text(block.body.emplace_back().emplace<Record>());
        } else {
            read_access(block.body.emplace_back().emplace<Record>());
        }
    }
}

}  // namespace nestwalk
