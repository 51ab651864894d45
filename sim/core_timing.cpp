#include "sim/core_timing.h"
#include "models/operation_error.h"

#include <algorithm>

namespace nestwalk {
namespace {

constexpr Cycles kOne = Cycles::whole(1);
/// Far enough from the last number that no single instruction reaches it.
constexpr Cycles kLatest = Cycles::whole(4'000'000'000'000'000);

/// It waits for no fill if none is under way.
bool is_plain_hit(const Access& access, const Outcome& outcome) {
    return outcome.result == TranslationResult::kL1Hit && outcome.start_level == 0 &&
           outcome.lines.empty() && access.kind != AccessKind::kFetch && !outcome.second_page;
}

/// How much later than the present, or not at all.
Cycles ahead(Cycles when, Cycles now) { return when > now ? when - now : Cycles{}; }

}  // namespace

CoreTiming::CoreTiming(const TimingParameters& parameters)
    : parameters_(parameters),
      stlb_(parameters.cycles(parameters.stlb)),
      l1d_(parameters.cycles(parameters.l1d)),
      l2_(parameters.cycles(parameters.l2)),
      l3_(parameters.cycles(parameters.l3)),
      memory_(parameters.cycles(parameters.memory)),
      line_interval_(parameters.cycles(parameters.line_interval)),
      retired_in_flight_(parameters.reorder_entries),
      load_ports_(parameters.load_ports),
      store_ports_(parameters.store_ports),
      walkers_(parameters.walkers),
      misses_(parameters.outstanding_misses),
      last_line_(Cycles{} - line_interval_) {}

// --- Dispatch and retirement (rules 1 and 2) ----------------------------------------------------

Cycles CoreTiming::dispatch() {
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

/// What lies between the retirement of the instruction before and the end of `line` is the last
/// part of `line`, and is counted by cause.
void CoreTiming::retire(const TimeLine& line, Counters& counters) {
    const Cycles before = retired_;
    const Cycles end = std::max(line.end(), before);
    if (end > before) {
        const auto count = [&](CycleCause cause, Cycles from, Cycles to) {
            from = std::max(from, before);
            if (to <= from) return;
            counters[counter::kCyclesByCause + static_cast<std::size_t>(cause)] +=
                static_cast<std::uint64_t>((to - from).milli);
        };
        counters[counter::kCycles] += static_cast<std::uint64_t>((end - before).milli);
        count(CycleCause::kBase, before, line.start);
        Cycles from = line.start;
        for (std::size_t at = 0; at < line.count; ++at) {
            count(line.stretches[at].cause, from, line.stretches[at].end);
            from = line.stretches[at].end;
        }
    }
    retired_ = end;
    completed_ = line.end();
}

// --- Accesses (rules 3 to 6) --------------------------------------------------------------------

Cycles CoreTiming::start_of(const Access& access) {
    const Cycles now = dispatch();
    std::vector<Cycles>& ports = access.kind == AccessKind::kLoad ? load_ports_ : store_ports_;
    Cycles& port = *std::min_element(ports.begin(), ports.end());
    Cycles start = std::max(now, port);
    port = start + kOne;
    if (access.dependence == Dependence::kOnPreviousLoad) {
        start = std::max(start, load_before(access.loads_back));
    }
    if (access.kind == AccessKind::kLoad) {
        last_load_ = (last_load_ + 1) % kFarthestDependence;
        loads_[last_load_] = start;
    }
    return start;
}

void CoreTiming::leave_reorder_buffer() {
    retired_in_flight_[oldest_in_flight_] = retired_;
    if (++oldest_in_flight_ == retired_in_flight_.size()) oldest_in_flight_ = 0;
}

/// What load_or_store() does, for the access that nearly all are: it hits, and waits for nothing.
void CoreTiming::plain_hit(const Access& access, Counters& counters) {
    const bool load = access.kind == AccessKind::kLoad;
    const Cycles start = start_of(access);
    const Cycles end = load ? start + l1d_ : start;
    const Cycles before = retired_;
    if (load) {
        loads_[last_load_] = end;
        loads_done_ = std::max(loads_done_, end);
    }
    if (end > before) {
        const Cycles data_from = std::max(start, before);
        const auto count = [&](std::size_t index, Cycles length) {
            counters[index] += static_cast<std::uint64_t>(length.milli);
        };
        count(counter::kCycles, end - before);
        count(counter::kCyclesByCause + static_cast<std::size_t>(CycleCause::kBase),
              data_from - before);
        count(counter::kCyclesByCause + static_cast<std::size_t>(CycleCause::kData),
              end - data_from);
        retired_ = end;
    }
    completed_ = end;
    leave_reorder_buffer();
    first_page_ = {.start = start};
    first_page_.until(end, CycleCause::kData);
}

void CoreTiming::translation(const Access& access, const Outcome& outcome, Counters& counters) {
    if (is_plain_hit(access, outcome) && fills_.empty()) return plain_hit(access, counters);
    if (outcome.start_level != 0 || !outcome.lines.empty()) fills_.begin(outcome.sequence);
    if (access.kind == AccessKind::kFetch) {
        fetch(outcome, counters);
    } else if (outcome.second_page) {
        second_page(access, outcome, counters);
    } else {
        load_or_store(access, outcome, counters);
    }
    if (outcome.fault.raised()) interrupted(outcome, counters);
    if (!fills_.empty()) fills_.forget_until(dispatch_);
}

void CoreTiming::load_or_store(const Access& access, const Outcome& outcome, Counters& counters) {
    const Cycles start = start_of(access);
    TimeLine line{.start = start};
    access_from(start, access, outcome, line, counters);
    retire(line, counters);
    leave_reorder_buffer();
    first_page_ = line;
}

/// The instruction has been retired with its first page; the second may hold it up further.
void CoreTiming::second_page(const Access& access, const Outcome& outcome, Counters& counters) {
    const Cycles first = completed_;
    TimeLine line{.start = first_page_.start};
    access_from(line.start, access, outcome, line, counters);
    retire(line, counters);
    completed_ = std::max(completed_, first);
    const std::size_t size = retired_in_flight_.size();
    retired_in_flight_[(oldest_in_flight_ + size - 1) % size] = retired_;
}

void CoreTiming::access_from(Cycles start, const Access& access, const Outcome& outcome,
                             TimeLine& line, Counters& counters) {
    line.start = start;
    translate(outcome, line, counters);
    if (outcome.fault.raised()) return;
    line.until(data_lines(access.kind, outcome, line.end()), CycleCause::kData);
    if (access.kind == AccessKind::kLoad) {
        loads_[last_load_] = std::max(loads_[last_load_], line.end());
        loads_done_ = std::max(loads_done_, line.end());
    }
}

/// Rule 14. No instruction of its own: it holds up those that follow.
void CoreTiming::fetch(const Outcome& outcome, Counters& counters) {
    TimeLine line{.start = dispatch_};
    translate(outcome, line, counters);
    const Cycles come =
        outcome.fault.raised() ? line.end() : data_lines(AccessKind::kFetch, outcome, line.end());
    line.until(come, CycleCause::kFetch);
    // All of it is time without instructions, whatever it was spent on.
    if (line.end() > line.start) stall_dispatch(line.end());
    retire(line, counters);
}

/// Rule 19: what a fault brings. What answers it comes as operations of its own.
void CoreTiming::interrupted(const Outcome& outcome, Counters& counters) {
    if (outcome.answered) return;
    if (outcome.fault.exits()) {
        const Cycles round_trip =
            parameters_.cycles(parameters_.vm_exit) + parameters_.cycles(parameters_.vm_entry);
        serialize(round_trip, Drain::kBefore, CycleCause::kExit, counters);
    } else {
        serialize(parameters_.cycles(parameters_.fault), Drain::kBefore, CycleCause::kFault,
                  counters);
    }
}

// --- State --------------------------------------------------------------------------------------

bool CoreTiming::same_future(const CoreTiming& other, std::uint64_t sequence,
                             std::uint64_t other_sequence) const {
    const Cycles now = dispatch_;
    const Cycles then = other.dispatch_;
    const auto same_rest = [&](Cycles mine, Cycles others) {
        return ahead(mine, now) == ahead(others, then);
    };
    const auto same_times = [&](std::vector<Cycles> mine, std::vector<Cycles> others) {
        std::sort(mine.begin(), mine.end());
        std::sort(others.begin(), others.end());
        return std::equal(mine.begin(), mine.end(), others.begin(), same_rest);
    };
    const std::size_t size = retired_in_flight_.size();
    for (std::size_t at = 0; at < size; ++at) {
        if (!same_rest(retired_in_flight_[(oldest_in_flight_ + at) % size],
                       other.retired_in_flight_[(other.oldest_in_flight_ + at) % size])) {
            return false;
        }
    }
    const bool same_stretches = std::equal(
        busy_.begin(), busy_.end(), other.busy_.begin(), other.busy_.end(),
        [&](const BusyStretch& mine, const BusyStretch& others) {
            return same_rest(mine.begin, others.begin) && same_rest(mine.end, others.end);
        });
    for (std::size_t back = 1; back <= kFarthestDependence; ++back) {
        if (!same_rest(load_before(back), other.load_before(back))) return false;
    }
    // Counts go on from the last retirement and the last time-stamp read, however long ago.
    return dispatched_ == other.dispatched_ && retired_ - now == other.retired_ - then &&
           has_read_tsc_ == other.has_read_tsc_ &&
           (!has_read_tsc_ || last_time_stamp_ - now == other.last_time_stamp_ - then) &&
           same_rest(loads_done_, other.loads_done_) &&
           same_rest(time_stamp_ready_, other.time_stamp_ready_) &&
           same_rest(last_line_ + line_interval_, other.last_line_ + line_interval_) &&
           same_times(load_ports_, other.load_ports_) &&
           same_times(store_ports_, other.store_ports_) && same_times(walkers_, other.walkers_) &&
           same_times(misses_, other.misses_) && same_stretches &&
           fills_.same_future(other.fills_, now, then, sequence, other_sequence);
}

}  // namespace nestwalk
