// Accesses that hit everywhere, many at a time: rules 1 to 6 for those that wait for nothing.

#include "sim/core_timing.h"

#include <algorithm>

namespace nestwalk {

void CoreTiming::hits(std::span<const PackedAccess> accesses, FillId filled_by,
                      Counters& counters) {
    std::size_t at = 0;
    const bool fetch = accesses.front().kind() == AccessKind::kFetch;
    for (; at < accesses.size() && (fetch || !fills_.empty()); ++at) {
        translation(accesses[at],
                    BulkTranslation{.access = accesses[at].kind(), .filled_by = filled_by},
                    counters);
    }
    plain_hits(accesses.subspan(at), counters);
}

/// What load_or_store() does for each, if nothing is waited for. What it does is kept in variables
/// of its own, since members would be written to memory at each access.
void CoreTiming::plain_hits(std::span<const PackedAccess> accesses, Counters& counters) {
    constexpr Cycles kOne = Cycles::whole(1);
    Cycles* const in_flight = retired_in_flight_.data();
    const std::size_t most_in_flight = retired_in_flight_.size();
    const std::uint32_t width = parameters_.issue_width;
    std::size_t oldest = oldest_in_flight_;
    Cycles dispatch = dispatch_;
    std::uint32_t dispatched = dispatched_;
    Cycles retired = retired_;
    Cycles total{};
    Cycles base{};
    Cycles data{};
    Cycles start{};
    Cycles end = completed_;
    for (const PackedAccess access : accesses) {
        if (in_flight[oldest] > dispatch) {
            dispatch_ = dispatch;
            stall_dispatch(in_flight[oldest]);
            dispatch = dispatch_;
            dispatched = 0;
        }
        const bool load = access.kind() == AccessKind::kLoad;
        Cycles& port = first_free(load ? load_ports_ : store_ports_);
        start = std::max(dispatch, port);
        port = start + kOne;
        if (++dispatched == width) {
            dispatch += kOne;
            dispatched = 0;
        }
        const unsigned back = access.loads_back();
        if (back != 0) start = std::max(start, load_before(back));
        end = start;
        if (load) {
            end = start + l1d_;
            last_load_ = (last_load_ + 1) % kFarthestDependence;
            loads_[last_load_] = end;
            loads_done_ = std::max(loads_done_, end);
        }
        if (end > retired) {
            const Cycles data_from = std::max(start, retired);
            total += end - retired;
            base += data_from - retired;
            data += end - data_from;
            retired = end;
        }
        in_flight[oldest] = retired;
        if (++oldest == most_in_flight) oldest = 0;
    }
    if (accesses.empty()) return;
    dispatch_ = dispatch;
    dispatched_ = dispatched;
    oldest_in_flight_ = oldest;
    retired_ = retired;
    completed_ = end;
    first_page_start_ = start;
    const auto count = [&](std::size_t index, Cycles length) {
        counters[index] += static_cast<std::uint64_t>(length.milli);
    };
    count(counter::kCycles, total);
    count(counter::kCyclesByCause + static_cast<std::size_t>(CycleCause::kBase), base);
    count(counter::kCyclesByCause + static_cast<std::size_t>(CycleCause::kData), data);
}

}  // namespace nestwalk
