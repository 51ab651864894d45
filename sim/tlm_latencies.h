#pragma once

// What a TlmMmu takes besides the time of its transactions, in simulated time.

#include "sim/timing_parameters.h"

#include <systemc>

namespace nestwalk {

struct TlmLatencies {
    sc_core::sc_time stlb{};  ///< beyond an L1 TLB hit, which takes nothing
    sc_core::sc_time walk{};  ///< of a walk, reads and look-ups left out
    sc_core::sc_time paging_structure_cache{};
    sc_core::sc_time nested_tlb{};
    sc_core::sc_time guest_physical_paging_structure_cache{};

    /// Those of a machine's core, at its clock; rounded to the resolution of simulated time.
    static TlmLatencies of(const TimingParameters& timing) {
        const auto time = [&](Latency latency) {
            const double cycles = timing.cycles(latency).value();
            return sc_core::sc_time(cycles * 1000 / timing.core_mhz, sc_core::SC_NS);
        };
        return {time(timing.stlb), time(timing.walk), time(timing.paging_structure_cache),
                time(timing.nested_tlb), time(timing.guest_physical_paging_structure_cache)};
    }
};

}  // namespace nestwalk
