#include "sim/core_timing.h"

#include <algorithm>

namespace nestwalk {

CoreTiming::CoreTiming(const TimingParameters& parameters)
    : parameters_(parameters),
      stlb_(parameters.cycles(parameters.stlb)),
      l1d_(parameters.cycles(parameters.l1d)),
      l2_(parameters.cycles(parameters.l2)),
      l3_(parameters.cycles(parameters.l3)),
      memory_(parameters.cycles(parameters.memory)),
      walk_(parameters.cycles(parameters.walk)),
      accessed_dirty_(parameters.cycles(parameters.accessed_dirty)),
      look_up_{parameters.cycles(parameters.paging_structure_cache),
               parameters.cycles(parameters.nested_tlb),
               parameters.cycles(parameters.guest_physical_paging_structure_cache)},
      line_interval_(parameters.cycles(parameters.line_interval)),
      retired_in_flight_(parameters.reorder_entries),
      load_ports_(parameters.load_ports),
      store_ports_(parameters.store_ports),
      walkers_(parameters.walkers),
      misses_(parameters.outstanding_misses),
      last_line_(Cycles{} - line_interval_) {}

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
