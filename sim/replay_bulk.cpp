// How a replay hands accesses to the cascade, and executes by itself those that are not plain.

#include "models/operation_error.h"
#include "sim/replay.h"
#include "traces/source_location.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// Fewer are executed sooner than handed over.
constexpr std::size_t kFewAccesses = 8;
/// As many are handed over before the replay asks whether it is to stop.
constexpr std::size_t kBetweenPolls = std::size_t{1} << 16;
/// After so many accesses in a row that were not plain, with hardly any between them...
constexpr int kMostStops = 4;
/// ... so many are not tried.
constexpr std::size_t kNotTried = 64;

}  // namespace

/// Why nothing goes in bulk, whatever it is.
OneAtATime Replay::bulk_obstacle() {
    if (options_.bulk == Bulk::kOff) return OneAtATime::kNotWanted;
    if (options_.log != nullptr) return OneAtATime::kAccessLog;
    if (options_.checking == Checking::kOn) return OneAtATime::kExpectations;
    if (options_.clock != nullptr) return OneAtATime::kOtherClock;
    return cascade().obstacle();
}

Cascade& Replay::cascade() {
    std::unique_ptr<Cascade>& cascade = cascades_[system_.current_vcpu()];
    if (!cascade) cascade = std::make_unique<Cascade>(system_);
    return *cascade;
}

bool Replay::queue(const Record& record, const Access& access) {
    if (obstacle_ != OneAtATime::kNone || narrative_.waits() || !BulkQueue::takes(access)) {
        return false;
    }
    Access each = access;
    each.stride = 0;
    each.count = 1;
    for (std::uint64_t number = 0; number < access.count; ++number) {
        queue_.add(PackedAccess(each), {record.line, record.column});
        each.va = each.va + access.stride;
        if (queue_.size() < CascadeIntake::kMostAccesses) continue;
        flush_queue();
        poll();
    }
    return true;
}

void Replay::flush_queue() {
    if (queue_.empty()) return;
    BulkQueue queued;
    std::swap(queued, queue_);  // so that nothing is executed twice, should this throw
    translate(queued.accesses(), [&](std::size_t index) { return queued.place_of(index); });
    queued.clear();
    if (queue_.empty()) std::swap(queued, queue_);  // keeps its memory
}

void Replay::settle_accesses() {
    flush_queue();
    for (const std::unique_ptr<Cascade>& cascade : cascades_) {
        if (cascade) cascade->settle();
    }
}

void Replay::run_accesses(const AccessRun& run) {
    flush_queue();
    translate(run.accesses, [&](std::size_t index) { return RecordPlace{run.line_of(index), 0}; });
}

void Replay::translate(std::span<const PackedAccess> accesses, const PlaceOf& place_of) {
    OneAtATime reason = obstacle_;
    if (reason == OneAtATime::kNone && accesses.size() < kFewAccesses) {
        reason = OneAtATime::kFewAccesses;
    }
    std::size_t not_tried = reason == OneAtATime::kNone ? 0 : accesses.size();
    int stops = 0;
    for (std::size_t at = 0; at < accesses.size();) {
        if (not_tried == 0) {
            const std::size_t most = std::min(accesses.size() - at, kBetweenPolls);
            const CascadeProgress progress =
                translate_some(accesses.subspan(at, most),
                               [&](std::size_t index) { return place_of(at + index); });
            at += progress.done;
            reason = progress.reason;
            if (reason == OneAtATime::kNone) continue;
            stops = progress.done < kFewAccesses ? stops + 1 : 0;
            not_tried = stops < kMostStops ? 1 : std::min(accesses.size() - at, kNotTried);
        }
        execute_one(accesses[at], place_of(at), reason);
        ++at;
        --not_tried;
    }
}

CascadeProgress Replay::translate_some(std::span<const PackedAccess> accesses,
                                       const PlaceOf& place_of) {
    poll();
    Cascade& cascade = this->cascade();
    const std::size_t vcpu = system_.current_vcpu();
    CascadeClock clock;
    if (!cores_.empty()) clock = {&cores_[vcpu], &times_of(vcpu)};
    try {
        const CascadeProgress progress =
            cascade.run(accesses, statistics_.current(), statistics_.footprint(), clock);
        bulk_report_.staged += progress.done;
        return progress;
    } catch (const OperationError& error) {
        refuse(place_of(cascade.position()), error);
    }
}

void Replay::execute_one(const PackedAccess& access, RecordPlace place, OneAtATime reason) {
    Cascade* const cascade = obstacle_ == OneAtATime::kNone ? &this->cascade() : nullptr;
    if (cascade != nullptr) cascade->settle();
    line_ = place.line;
    watching_ = false;
    bulk_report_.add(1, reason);
    try {
        system_.execute(access.access(), *this);
    } catch (const OperationError& error) {
        refuse(place, error);
    }
    if (cascade != nullptr) cascade->forget(access);
}

void Replay::refuse(RecordPlace place, const OperationError& error) const {
    throw InputError({source_name_, place.line, place.column}, error.what());
}

}  // namespace nestwalk
