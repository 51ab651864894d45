#pragma once

// The time of one vCPU of the cycle engine: the kernel's, less what passed while the vCPU had
// nothing to do.

#include "sim/cycles.h"

#include <cstdint>

#include <systemc>

namespace nestwalk {

/// A unit of the kernel's resolution stands for a thousandth of a core cycle.
inline sc_core::sc_time kernel_time_of(Cycles length) {
    return sc_core::sc_time::from_value(static_cast<std::uint64_t>(length.milli));
}
inline Cycles cycles_of(const sc_core::sc_time& length) {
    return {static_cast<std::int64_t>(length.value())};
}

class CycleClock {
public:
    Cycles now() const { return cycles_of(sc_core::sc_time_stamp()) - left_out_; }
    /// From now until `at`; nothing if that has passed.
    sc_core::sc_time until(Cycles at) const {
        const Cycles left = at - now();
        return kernel_time_of(left > Cycles{} ? left : Cycles{});
    }
    /// Makes it `time` now. Whoever waits for a time has to wait anew.
    void set(Cycles time) { left_out_ = cycles_of(sc_core::sc_time_stamp()) - time; }

private:
    Cycles left_out_{};
};

}  // namespace nestwalk
