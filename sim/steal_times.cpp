#include "sim/steal_times.h"
#include "models/digest.h"

#include <algorithm>

namespace nestwalk {

StealTimes::StealTimes(const StealParameters& parameters, const TimingParameters& timing,
                       std::size_t vcpu)
    : random_(mix(parameters.seed, vcpu)) {
    if (!parameters.enabled()) return;
    duration_ = timing.cycles(parameters.duration);
    mean_ = timing.cycles(parameters.mean_interval).milli;
    next_ = interval();
}

Cycles StealTimes::interval() {
    random_ = mix(random_);
    const std::uint64_t lengths = 2 * static_cast<std::uint64_t>(mean_) + 1;
    return {static_cast<std::int64_t>(random_ % lengths)};
}

void StealTimes::taken(Cycles end) {
    away_until_ = end;
    next_ = end + interval();
}

Cycles StealTimes::available(Cycles at) {
    while (next_ <= at) taken(next_ + duration_);
    return std::max(at, away_until_);
}

}  // namespace nestwalk
