#include "sim/broadcast_clock.h"

#include <algorithm>
#include <utility>

namespace nestwalk {

void BroadcastClock::operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                               Place place, Counters& counters) {
    Vcpu& own = vcpus_[vcpu];
    own.held = false;
    if (!outcome.fault.raised() && std::holds_alternative<Invlpgb>(operation)) {
        own.broadcasts = true;
    } else if (std::holds_alternative<Tlbsync>(operation) && std::exchange(own.broadcasts, false)) {
        Cycles all_complete{};
        for (std::size_t other = 0; other < vcpus_.size(); ++other) {
            if (other == vcpu) continue;
            const Vcpu& target = vcpus_[other];
            all_complete =
                std::max(all_complete, target.held ? target.complete : clock_.drained(other));
        }
        clock_.hold(vcpu, all_complete, CycleCause::kFlush, counters);
    }
    clock_.operation(vcpu, operation, outcome, place, counters);
}

void BroadcastClock::hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) {
    Vcpu& own = vcpus_[vcpu];
    if (!own.held) own.complete = clock_.drained(vcpu);
    own.held = true;
    clock_.hold(vcpu, until, cause, counters);
}

}  // namespace nestwalk
