#include "traces/drmemtrace_reader.h"
#include "traces/little_endian.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::size_t kEntryBytes = 12;
constexpr std::size_t kEnough = 64;
constexpr std::uint64_t kLatestVersion = 8;
/// More than any access has.
constexpr std::uint64_t kMostAccessed = 4096;

// trace_type_t, by number.
constexpr std::uint16_t kRead = 0;
constexpr std::uint16_t kWrite = 1;
constexpr std::uint16_t kFirstPrefetch = 2;
constexpr std::uint16_t kLastPrefetch = 9;
constexpr std::uint16_t kFirstInstruction = 10;
constexpr std::uint16_t kLastInstruction = 16;
constexpr std::uint16_t kBundle = 17;
constexpr std::uint16_t kFirstFlush = 18;
constexpr std::uint16_t kLastFlush = 21;
constexpr std::uint16_t kThread = 22;
constexpr std::uint16_t kThreadExit = 23;
constexpr std::uint16_t kProcess = 24;
constexpr std::uint16_t kHeader = 25;
constexpr std::uint16_t kFooter = 26;
constexpr std::uint16_t kHardwarePrefetch = 27;
constexpr std::uint16_t kMarker = 28;
constexpr std::uint16_t kNotFetched = 29;
constexpr std::uint16_t kMaybeFetched = 30;
constexpr std::uint16_t kSysenter = 31;
constexpr std::uint16_t kFirstNewPrefetch = 32;
constexpr std::uint16_t kLastNewPrefetch = 46;
constexpr std::uint16_t kEncoding = 47;
constexpr std::uint16_t kTakenJump = 48;
constexpr std::uint16_t kUntakenJump = 49;

// trace_marker_type_t, by number.
constexpr std::uint16_t kTimestampMarker = 2;
constexpr std::uint16_t kCpuMarker = 3;

constexpr std::uint64_t kLatestMicroseconds = UINT64_MAX / 1000;
/// On Linux the rest of the number says which socket it is on.
constexpr std::uint64_t kCpuBits = 0xfff;

bool is_instruction(std::uint16_t type) {
    return (type >= kFirstInstruction && type <= kLastInstruction) || type == kSysenter ||
           type == kTakenJump || type == kUntakenJump;
}

bool is_hint(std::uint16_t type) {
    return (type >= kFirstPrefetch && type <= kLastPrefetch) || type == kHardwarePrefetch ||
           (type >= kFirstFlush && type <= kLastFlush) ||
           (type >= kFirstNewPrefetch && type <= kLastNewPrefetch);
}

}  // namespace

bool DrmemtraceReader::recognises(std::string_view sample) {
    const std::size_t count = std::min(sample.size() / kEntryBytes, kEnough);
    if (count == 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view entry = sample.substr(i * kEntryBytes, kEntryBytes);
        const auto type = little_endian<std::uint16_t>(entry, 0);
        if (i == 0 && (type != kHeader || little_endian<std::uint16_t>(entry, 2) != 0 ||
                       little_endian<std::uint64_t>(entry, 4) > kLatestVersion))
            return false;
        if (type > kUntakenJump) return false;
    }
    return true;
}

DrmemtraceReader::DrmemtraceReader(InputFile file, const ImportOptions& options)
    : ForeignBinaryReader(std::move(file), options, "drmemtrace", kEntryBytes) {
    headers_ = sink().skips("headers, ids and footers", "no accesses");
    markers_ = sink().skips("markers", "no accesses");
    encodings_ = sink().skips("instruction bytes", "no accesses");
    hints_ = sink().skips("prefetches and cache flushes", "they need not translate");
    unfetched_ = sink().skips("instructions", "not fetched again");
}

void DrmemtraceReader::fetch(std::uint64_t pc, std::uint64_t bytes, ImportSink& sink) {
    pc_ = pc;
    bytes_ = bytes;
    sink.access(AccessKind::kFetch, pc, bytes);
}

void DrmemtraceReader::read(std::string_view record, ImportSink& sink) {
    const auto type = little_endian<std::uint16_t>(record, 0);
    const auto size = little_endian<std::uint16_t>(record, 2);
    const auto value = little_endian<std::uint64_t>(record, 4);
    const bool accesses =
        type == kRead || type == kWrite || is_instruction(type) || type == kMaybeFetched;
    if (accesses && size > kMostAccessed)
        reject("an access of " + std::to_string(size) + " bytes", "at most 4096 bytes");
    if (type == kRead) return sink.access(AccessKind::kLoad, value, size);
    if (type == kWrite) return sink.access(AccessKind::kStore, value, size);
    if (is_instruction(type)) return fetch(value, size, sink);
    if (is_hint(type)) return sink.skip(hints_);
    switch (type) {
        case kBundle:  // instructions that follow the one before without a branch
            if (size > 8)
                reject("a bundle of " + std::to_string(size) + " instructions", "at most 8");
            for (std::size_t i = 0; i < size; ++i)
                fetch(pc_ + bytes_, static_cast<unsigned char>(record[4 + i]), sink);
            return;
        case kMaybeFetched:  // a string instruction is fetched once
            if (value != pc_) return fetch(value, size, sink);
            return sink.skip(unfetched_);
        case kNotFetched:
            return sink.skip(unfetched_);
        case kEncoding:
            return sink.skip(encodings_);
        case kMarker:
            return read_marker(size, value, sink);
        case kThread:
            sink.thread(value);
            return sink.skip(headers_);
        case kProcess:
            sink.process(value);
            return sink.skip(headers_);
        case kHeader:
            if (value > kLatestVersion)
                reject("version " + std::to_string(value), "a version up to 8");
            return sink.skip(headers_);
        case kThreadExit:
        case kFooter:
            return sink.skip(headers_);
        default:
            reject("type " + std::to_string(type), "a type of drmemtrace, 0 to 49");
    }
}

void DrmemtraceReader::read_marker(std::uint16_t type, std::uint64_t value, ImportSink& sink) {
    if (type == kTimestampMarker && value <= kLatestMicroseconds) sink.time(value * 1000);
    if (type == kCpuMarker && value != UINT64_MAX) sink.cpu(value & kCpuBits);
    sink.skip(markers_);
}

}  // namespace nestwalk
