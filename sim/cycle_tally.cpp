#include "sim/cycle_tally.h"

#include <algorithm>

namespace nestwalk {

CycleTally::CycleTally(const TimingParameters& timing)
    : core_mhz_(timing.core_mhz), tsc_mhz_(timing.tsc_mhz) {}

void CycleTally::retire(const Flight& flight, CycleCause cause) {
    if (flight.completed <= retired_) return;
    Cycles at = retired_;
    const auto until = [&](Cycles end, CycleCause what) {
        if (end <= at) return;
        add(what, end - at);
        at = end;
    };
    until(flight.begun, CycleCause::kBase);
    until(flight.stlb_begun, CycleCause::kWalk);  // for a walker that holds the look-up too
    until(flight.stlb_done, CycleCause::kStlb);
    until(flight.translated, CycleCause::kWalk);
    until(flight.delivered, CycleCause::kBase);
    until(flight.completed, cause);
    finish(flight.completed);
}

void CycleTally::walk(const Flight& flight, Cycles begun) {
    const auto kind = static_cast<std::size_t>(flight.kind);
    const Cycles latency = flight.walked - flight.asked_for_walker;
    add_time(counter::kWalkLatency + kind, latency);
    ++(*counters_)[counter::kTimedWalks + kind];
    std::size_t bucket = 0;
    while (kWalkBucketBounds[bucket] != 0 && latency >= Cycles::whole(kWalkBucketBounds[bucket])) {
        ++bucket;
    }
    ++(*counters_)[counter::kWalkHistogram + bucket];
    add_time(counter::kWalkPending, flight.walked - begun);
    add_time(counter::kWalkActive, newly_covered({begun, flight.walked}));
}

/// The part of an interval that no earlier one covered, and makes it covered.
Cycles CycleTally::newly_covered(Interval interval) {
    const auto first = std::find_if(walking_.begin(), walking_.end(), [&](const Interval& held) {
        return held.end >= interval.begin;
    });
    Cycles covered{};
    auto last = first;
    Interval merged = interval;
    for (; last != walking_.end() && last->begin <= interval.end; ++last) {
        covered += std::min(last->end, interval.end) - std::max(last->begin, interval.begin);
        merged = {std::min(merged.begin, last->begin), std::max(merged.end, last->end)};
    }
    const auto place = walking_.erase(first, last);
    walking_.insert(place, merged);
    return interval.end - interval.begin - covered;
}

void CycleTally::forget_walks_before(Cycles time) {
    const auto kept = std::find_if(walking_.begin(), walking_.end(),
                                   [&](const Interval& held) { return held.end >= time; });
    walking_.erase(walking_.begin(), kept);
}

void CycleTally::read_time_stamp(Cycles at) {
    if (time_stamp_) {
        (*counters_)[counter::kTscBetweenReads] +=
            static_cast<std::uint64_t>((at - *time_stamp_).milli * tsc_mhz_ / core_mhz_);
    }
    time_stamp_ = at;
}

}  // namespace nestwalk
