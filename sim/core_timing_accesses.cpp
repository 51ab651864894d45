// What an access takes: rules 1 to 14. All of it is in one file so that the compiler sees an access
// as a whole. Told of it is an Outcome or a BulkTranslation.

#include "models/operation_error.h"
#include "sim/core_timing.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr Cycles kOne = Cycles::whole(1);
/// Far enough from the last number that no single instruction reaches it.
constexpr Cycles kLatest = Cycles::whole(4'000'000'000'000'000);

}  // namespace

// --- Dispatch and retirement (rules 1 and 2) ----------------------------------------------------

inline Cycles CoreTiming::dispatch() {
    stall_dispatch(retired_in_flight_[oldest_in_flight_]);
    const Cycles now = dispatch_;
    if (++dispatched_ == parameters_.issue_width) {
        dispatch_ += kOne;
        dispatched_ = 0;
    }
    return now;
}

void CoreTiming::stall_dispatch(Cycles until) {
    if (until <= dispatch_) return;
    if (until > kLatest) {
        throw OperationError("simulated time goes beyond 4,000,000,000,000,000 core cycles");
    }
    dispatch_ = until;
    dispatched_ = 0;
}

void CoreTiming::retire(const TimeLine& line, Counters& counters) {
    completed_ = line.end();
    const Cycles before = retired_;
    retired_ = std::max(retired_, completed_);
    counters[counter::kCycles] += static_cast<std::uint64_t>((retired_ - before).milli);
}

// --- Translations, walks and lines (rules 7 to 13) ----------------------------------------------

/// Rules 7 and 8.
template <typename Told>
inline void CoreTiming::translate(const Told& outcome, TimeLine& line, Counters& counters) {
    const auto wait_for_fill = [&] {
        const Cycles filled = fills_.ready(outcome.filled_by);
        if (filled <= line.end()) return;
        ++counters[counter::kHitsOnPending];
        line.until(filled, CycleCause::kWalk);
    };
    if (!outcome.l1_missed) {
        if (!fills_.empty()) wait_for_fill();
    } else if (!outcome.stlb_missed) {
        line.until(line.end() + stlb_, CycleCause::kStlb);
        wait_for_fill();
    }
    // A hit walks for a dirty assist alone; an address that is not canonical, or is not translated,
    // not at all.
    if (outcome.start_level == 0) return;
    const bool looks_in_stlb = outcome.stlb_missed;
    Cycles asked = line.end();
    if (looks_in_stlb && !parameters_.walker_holds_stlb_lookup) {
        asked += stlb_;
        line.until(asked, CycleCause::kStlb);
    }
    Cycles& walker = *std::min_element(walkers_.begin(), walkers_.end());
    const Cycles begin = std::max(asked, walker);
    line.until(begin, CycleCause::kWalk);
    Cycles look_up_end = begin;
    if (looks_in_stlb && parameters_.walker_holds_stlb_lookup) look_up_end += stlb_;
    line.until(look_up_end, CycleCause::kStlb);
    walker = walk(look_up_end, outcome);
    line.until(walker, CycleCause::kWalk);
    count_walk(asked, begin, walker, outcome.access, counters);
}

/// Rule 9: the end of the walk.
template <typename Told>
inline Cycles CoreTiming::walk(Cycles begin, const Told& outcome) {
    Cycles now = begin + walk_;
    std::size_t lookup = 0;
    const auto look_ups = [&](std::size_t reads) {
        for (; lookup < outcome.lookups.size() && outcome.lookups[lookup].after_reads <= reads;
             ++lookup) {
            now = look_up(outcome.lookups[lookup], now);
        }
    };
    look_ups(0);
    fills_.walk_read(now);
    for (std::size_t read = 0; read < outcome.reads.size(); ++read) {
        const auto& entry = outcome.reads[read];
        now = read_line(entry.line, now, l1d_);
        now += accessed_dirty_ * (std::int64_t{entry.set_accessed} + std::int64_t{entry.set_dirty});
        fills_.walk_read(now);
        look_ups(read + 1);
    }
    fills_.walk_ends(now);
    return now;
}

inline Cycles CoreTiming::look_up(const StructureLookup& lookup, Cycles at) const {
    const Cycles latency = look_up_[static_cast<std::size_t>(lookup.group)];
    return std::max(at + latency, fills_.ready(lookup.filled_by));
}

/// Rule 10, of a line that is not in the first level.
inline Cycles CoreTiming::latency_beyond_l1(LineSource source) const {
    if (source == LineSource::kL2) return l2_;
    if (source == LineSource::kL3) return l3_;
    return memory_;  // or a machine without caches
}

/// Rules 10 and 11. `hit` is the latency of the first level.
inline Cycles CoreTiming::read_line(const LineUse& line, Cycles at, Cycles hit) {
    if (line.source == LineSource::kL1) {
        return std::max(at + hit, fills_.ready(line.filled_by));
    }
    last_line_ = std::max(at + latency_beyond_l1(line.source), last_line_ + line_interval_);
    return last_line_;
}

/// Rules 5, 6, 10, 12 and 13: when the access is complete.
template <typename Told>
Cycles CoreTiming::data_lines(AccessKind kind, const Told& outcome, Cycles at) {
    const bool fetch = kind == AccessKind::kFetch;
    const Cycles hit = fetch ? Cycles{} : l1d_;
    if (outcome.lines.empty()) return kind == AccessKind::kLoad ? at + hit : at;
    Cycles complete = at;
    for (const LineUse& line : outcome.lines) {
        Cycles asked = at;
        Cycles come{};
        if (line.source == LineSource::kL1) {
            come = read_line(line, at, hit);
        } else if (fetch) {
            come = at + latency_beyond_l1(line.source);
        } else {
            Cycles& slot = *std::min_element(misses_.begin(), misses_.end());
            asked = std::max(at, slot);
            come = read_line(line, asked, hit);
            slot = come;
        }
        fills_.data_line(come);
        complete = std::max(complete, kind == AccessKind::kStore ? asked : come);
    }
    return complete;
}

void CoreTiming::count_walk(Cycles asked, Cycles begin, Cycles end, AccessKind kind,
                            Counters& counters) {
    const auto milli = [](Cycles cycles) { return static_cast<std::uint64_t>(cycles.milli); };
    const Cycles latency = end - asked;
    counters[counter::kWalkPending] += milli(end - begin);
    counters[counter::kWalkActive] += milli(newly_busy(begin, end));
    counters[counter::kWalkLatency + static_cast<std::size_t>(kind)] += milli(latency);
    ++counters[counter::kTimedWalks + static_cast<std::size_t>(kind)];
    std::size_t bucket = 0;
    while (bucket + 1 < kWalkBuckets && latency >= Cycles::whole(kWalkBucketBounds[bucket])) {
        ++bucket;
    }
    ++counters[counter::kWalkHistogram + bucket];
}

/// How much of the stretch no walker was busy in so far; from now on one is.
Cycles CoreTiming::newly_busy(Cycles begin, Cycles end) {
    // No walk that is yet to come begins before the next instruction is dispatched.
    while (!busy_.empty() && busy_.front().end <= dispatch_) busy_.erase(busy_.begin());
    const auto first = std::find_if(busy_.begin(), busy_.end(), [&](const BusyStretch& stretch) {
        return stretch.end >= begin;
    });
    BusyStretch merged{begin, end};
    Cycles covered{};
    auto after = first;
    for (; after != busy_.end() && after->begin <= end; ++after) {
        covered += std::min(after->end, end) - std::max(after->begin, begin);
        merged.begin = std::min(merged.begin, after->begin);
        merged.end = std::max(merged.end, after->end);
    }
    if (first == after) {
        busy_.insert(first, merged);
    } else {
        *first = merged;
        busy_.erase(first + 1, after);
    }
    return end - begin - covered;
}

// --- Accesses (rules 3 to 6) --------------------------------------------------------------------

inline Cycles CoreTiming::start_of(Issue access) {
    const Cycles now = dispatch();
    std::vector<Cycles>& ports = access.kind == AccessKind::kLoad ? load_ports_ : store_ports_;
    Cycles& port = first_free(ports);
    Cycles start = std::max(now, port);
    port = start + kOne;
    if (access.loads_back != 0) start = std::max(start, load_before(access.loads_back));
    if (access.kind == AccessKind::kLoad) {
        last_load_ = (last_load_ + 1) % kFarthestDependence;
        loads_[last_load_] = start;
    }
    return start;
}

inline void CoreTiming::leave_reorder_buffer() {
    retired_in_flight_[oldest_in_flight_] = retired_;
    if (++oldest_in_flight_ == retired_in_flight_.size()) oldest_in_flight_ = 0;
}

template <typename Told>
void CoreTiming::translated(Issue access, const Told& outcome, Counters& counters) {
    if (outcome.start_level != 0 || !outcome.lines.empty()) fills_.begin(outcome.sequence);
    if (access.kind == AccessKind::kFetch) {
        fetch(outcome, counters);
    } else if (outcome.second_page) {
        second_page(access, outcome, counters);
    } else {
        load_or_store(access, outcome, counters);
    }
}

template <typename Told>
inline void CoreTiming::load_or_store(Issue access, const Told& outcome, Counters& counters) {
    const Cycles start = start_of(access);
    TimeLine line = begin(start, counters);
    access_from(access, outcome, line, counters);
    retire(line, counters);
    leave_reorder_buffer();
    first_page_start_ = start;
}

/// The instruction has been retired with its first page; the second may hold it up further.
template <typename Told>
void CoreTiming::second_page(Issue access, const Told& outcome, Counters& counters) {
    const Cycles first = completed_;
    TimeLine line = begin(first_page_start_, counters);
    access_from(access, outcome, line, counters);
    retire(line, counters);
    completed_ = std::max(completed_, first);
    const std::size_t size = retired_in_flight_.size();
    retired_in_flight_[(oldest_in_flight_ + size - 1) % size] = retired_;
}

template <typename Told>
inline void CoreTiming::access_from(Issue access, const Told& outcome, TimeLine& line,
                                    Counters& counters) {
    translate(outcome, line, counters);
    if (outcome.fault.raised()) return;
    line.until(data_lines(access.kind, outcome, line.end()), CycleCause::kData);
    if (access.kind == AccessKind::kLoad) {
        loads_[last_load_] = std::max(loads_[last_load_], line.end());
        loads_done_ = std::max(loads_done_, line.end());
    }
}

/// Rule 14. No instruction of its own: it holds up those that follow.
template <typename Told>
void CoreTiming::fetch(const Told& outcome, Counters& counters) {
    TimeLine line = begin(dispatch_, counters);
    translate(outcome, line, counters);
    const Cycles come =
        outcome.fault.raised() ? line.end() : data_lines(AccessKind::kFetch, outcome, line.end());
    line.until(come, CycleCause::kFetch);
    // All of it is time without instructions, whatever it was spent on.
    if (line.end() > line.start()) stall_dispatch(line.end());
    retire(line, counters);
}

void CoreTiming::translation(const Access& access, const Outcome& outcome, Counters& counters) {
    const bool depends = access.dependence == Dependence::kOnPreviousLoad;
    translated({access.kind, depends ? access.loads_back : 0u}, outcome, counters);
    if (outcome.fault.raised()) interrupted(outcome, counters);
    if (!fills_.empty()) fills_.forget_until(dispatch_);
}

/// All that it calls becomes part of it, which makes replays of misses a tenth faster.
[[gnu::flatten]] void CoreTiming::translation(PackedAccess access, const BulkTranslation& bulk,
                                              Counters& counters) {
    translated({access.kind(), access.loads_back()}, bulk, counters);
    if (!fills_.empty()) fills_.forget_until(dispatch_);
}

}  // namespace nestwalk
