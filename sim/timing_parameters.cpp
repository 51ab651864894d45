#include "sim/timing_parameters.h"

namespace nestwalk {

Cycles TimingParameters::cycles(Latency latency) const {
    switch (latency.clock) {
        case ClockDomain::kCore:
            break;
        case ClockDomain::kTsc:
            return {latency.milli * core_mhz / tsc_mhz};
        case ClockDomain::kNanoseconds:
            return {latency.milli * core_mhz / 1000};
    }
    return {latency.milli};
}

}  // namespace nestwalk
