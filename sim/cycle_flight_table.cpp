#include "sim/cycle_flight_table.h"

#include <algorithm>

namespace nestwalk {

void FlightTable::add(Flight& flight) {
    flights_.push_back(&flight);
    if (flights_.size() == 1) update_horizon();
}

void FlightTable::update_horizon() {
    if (flights_.empty()) {
        horizon_ = kNotYet;
        oldest_fill_ = ~std::uint64_t{};
        return;
    }
    const Flight& oldest = *flights_.front();
    horizon_ = oldest.retired ? oldest.over() : kNotYet;
    oldest_fill_ = FillId::of(oldest.sequence, 0).value;
}

Flight* FlightTable::find(FillId fill) {
    if (!may_wait_for(fill)) return nullptr;
    const std::uint64_t sequence = fill.sequence();
    const auto found = std::lower_bound(
        flights_.begin(), flights_.end(), sequence,
        [](const Flight* flight, std::uint64_t wanted) { return flight->sequence < wanted; });
    if (found == flights_.end() || (*found)->sequence != sequence) return nullptr;
    return *found;
}

Cycles FlightTable::translation_there(FillId fill, Flight& asking) {
    Flight* const filler = find(fill);
    if (filler == nullptr) return {};
    if (!known(filler->walked)) filler->waiting.push_back(&asking);
    return filler->walked;
}

Cycles FlightTable::structure_there(FillId fill, Flight& asking) {
    Flight* const filler = find(fill);
    if (filler == nullptr || fill.reads() == 0) return {};
    if (filler->reads.size() >= fill.reads()) return filler->reads[fill.reads() - 1];
    filler->waiting.push_back(&asking);
    return kNotYet;
}

Cycles FlightTable::line_there(FillId fill, Flight& asking) {
    Flight* const filler = find(fill);
    if (filler == nullptr || fill.reads() == 0) return {};
    if (fill.reads() != FillId::kData) {
        if (filler->reads.size() >= fill.reads()) return filler->reads[fill.reads() - 1];
    } else if (known(filler->completed)) {
        return filler->lines_there;
    }
    filler->waiting.push_back(&asking);
    return kNotYet;
}

}  // namespace nestwalk
