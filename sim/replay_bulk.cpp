// How a replay hands accesses to the cascade, and executes by itself those that are not plain.

#include "models/operation_error.h"
#include "sim/replay.h"
#include "traces/source_location.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// See few_accesses(): without a clock, and with one.
constexpr std::size_t kFewAccesses = 16;
constexpr std::size_t kFewTimedAccesses = 64;
/// After so many short runs no record waits for others before a run is no longer short.
constexpr int kMostShortRuns = 4;
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
    if (options_.log != nullptr && options_.log->takes_together() == 0) {
        return OneAtATime::kAccessLog;
    }
    if (options_.checking == Checking::kOn) return OneAtATime::kExpectations;
    if (options_.clock != nullptr) return OneAtATime::kOtherClock;
    return cascade().obstacle();
}

Cascade& Replay::cascade() {
    std::unique_ptr<Cascade>& cascade = cascades_[system_.current_vcpu()];
    if (!cascade) cascade = std::make_unique<Cascade>(system_);
    return *cascade;
}

/// Fewer accesses are executed sooner than handed over.
std::size_t Replay::few_accesses() const {
    return cores_.empty() ? kFewAccesses : kFewTimedAccesses;
}

bool Replay::queue(const Record& record, const Access& access) {
    run_ += access.count;
    if (short_runs_ >= kMostShortRuns && run_ < few_accesses()) return false;
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
    short_runs_ = queue_.size() < few_accesses() ? short_runs_ + 1 : 0;
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
    if (reason == OneAtATime::kNone && accesses.size() < few_accesses()) {
        reason = OneAtATime::kFewAccesses;
    }
    std::size_t not_tried = reason == OneAtATime::kNone ? 0 : accesses.size();
    int stops = 0;
    for (std::size_t at = 0; at < accesses.size();) {
        if (not_tried == 0) {
            const std::size_t most =
                std::min({accesses.size() - at, kBetweenPolls, taken_together()});
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
        std::optional<Counters> before;
        if (options_.log != nullptr) before = statistics_.current();
        const CascadeProgress progress =
            cascade.run(accesses, statistics_.current(), statistics_.footprint(), clock);
        bulk_report_.staged += progress.done;
        if (before && progress.done > 0) tell_log(accesses.first(progress.done), *before);
        return progress;
    } catch (const OperationError& error) {
        refuse(place_of(cascade.position()), error);
    }
}

/// How many accesses a log takes together.
std::size_t Replay::taken_together() const {
    return options_.log == nullptr ? kBetweenPolls : options_.log->takes_together();
}

/// Of accesses that were translated in bulk since `before`.
void Replay::tell_log(std::span<const PackedAccess> accesses, const Counters& before) {
    Counters counted = statistics_.current();
    counted -= before;
    const std::size_t vcpu = system_.current_vcpu();
    std::optional<Cycles> completed;
    if (!cores_.empty()) completed = cores_[vcpu].retired();
    options_.log->accesses(vcpu, accesses, counted, completed);
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
}

/// Why a record's accesses are executed as they come.
OneAtATime Replay::reason_for(const Access& access) const {
    if (narrative_.waits()) return OneAtATime::kExplained;
    if (obstacle_ != OneAtATime::kNone) return obstacle_;
    return BulkQueue::takes(access) ? OneAtATime::kFewAccesses : OneAtATime::kWide;
}

/// A leaf that has D now may translate more than this page, and more than one copy of it may be
/// cached that has not.
void Replay::note_dirty(VirtAddr va, const Outcome& outcome) {
    const auto sets_dirty = [](const EntryRead& read) { return read.set_dirty; };
    if (std::none_of(outcome.reads.begin(), outcome.reads.end(), sets_dirty)) return;
    const bool one_page = outcome.whole_level == 1 && !system_.regime().nested;
    for (const std::unique_ptr<Cascade>& cascade : cascades_) {
        if (cascade) one_page ? cascade->forget(va) : cascade->forget_all();
    }
}

void Replay::refuse(RecordPlace place, const OperationError& error) const {
    throw InputError({source_name_, place.line, place.column}, error.what());
}

}  // namespace nestwalk
