#include "traces/schedule_writer.h"
#include "traces/text_writer.h"

#include <utility>

namespace nestwalk {
namespace {

const Access* access_of(const Record& record) {
    const auto* operation = std::get_if<Operation>(&record.what);
    return operation == nullptr ? nullptr : std::get_if<Access>(operation);
}

bool alike(const Access& one, const Access& other) {
    return one.kind == other.kind && one.privilege == other.privilege &&
           one.dependence == other.dependence && one.loads_back == other.loads_back &&
           one.bytes == other.bytes && one.stride == other.stride;
}

}  // namespace

ScheduleWriter::ScheduleWriter(Sink sink) : sink_(std::move(sink)) { sink_(kTextHeader); }

void ScheduleWriter::write(const Record& record) {
    if (joins(record)) return;
    write_pending();
    if (access_of(record) != nullptr) {
        pending_ = record;
    } else {
        sink_(to_text(record) + '\n');
    }
}

/// Goes on with the accesses that are pending, if these go on so.
bool ScheduleWriter::joins(const Record& record) {
    const Access* const next = access_of(record);
    if (next == nullptr || !pending_ || record.captured_ns != pending_->captured_ns) return false;
    auto& before = std::get<Access>(std::get<Operation>(pending_->what));
    const VirtAddr expected = before.va + before.count * before.stride;
    if (!alike(before, *next) || next->va != expected) return false;
    before.count += next->count;
    return true;
}

void ScheduleWriter::write_pending() {
    if (!pending_) return;
    auto& access = std::get<Access>(std::get<Operation>(pending_->what));
    if (access.count == 1) access.stride = 0;
    sink_(to_text(*pending_) + '\n');
    pending_.reset();
}

}  // namespace nestwalk
