#include "sim/statistics.h"
#include "models/operation_error.h"

#include <algorithm>

namespace nestwalk {

void Statistics::enter_phase(const std::string& name) {
    const auto found = std::find_if(phases_.begin(), phases_.end(),
                                    [&](const Phase& phase) { return phase.name == name; });
    if (found == phases_.end() && phases_.size() > kMostPhases) {  // the unnamed one comes on top
        throw OperationError("phase: more than " + std::to_string(kMostPhases) + " phases");
    }
    current_ = static_cast<std::size_t>(found - phases_.begin());
    if (found == phases_.end()) phases_.push_back({.name = name});
}

void Statistics::restart() {
    const std::string name = phases_[current_].name;
    phases_.assign(1, {});
    enter_phase(name);
    footprint_ = {};
}

Counters Statistics::whole() const {
    Counters sum;
    for (const Phase& phase : phases_) sum += phase.counters;
    return sum;
}

std::vector<Phase> Statistics::phases() const {
    const bool unnamed_is_empty = phases_.front().counters == Counters{};
    return {phases_.begin() + (unnamed_is_empty ? 1 : 0), phases_.end()};
}

std::vector<Counters> Statistics::snapshot() const {
    std::vector<Counters> counters;
    for (const Phase& phase : phases_) counters.push_back(phase.counters);
    return counters;
}

void Statistics::repeat_since(const std::vector<Counters>& snapshot, std::uint64_t rounds) {
    for (std::size_t at = 0; at < phases_.size(); ++at) {
        const Counters earlier = at < snapshot.size() ? snapshot[at] : Counters{};
        phases_[at].counters.repeat_since(earlier, rounds);
    }
}

}  // namespace nestwalk
