#pragma once

// What the cycle engine needs of TimingParameters, converted to core cycles once.

#include "models/outcome.h"
#include "sim/timing_parameters.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace nestwalk {

struct CycleLatencies {
    explicit CycleLatencies(const TimingParameters& timing)
        : stlb(timing.cycles(timing.stlb)),
          walk(timing.cycles(timing.walk)),
          lookup{timing.cycles(timing.paging_structure_cache), timing.cycles(timing.nested_tlb),
                 timing.cycles(timing.guest_physical_paging_structure_cache)},
          accessed_dirty(timing.cycles(timing.accessed_dirty)),
          l1d(timing.cycles(timing.l1d)),
          l2(timing.cycles(timing.l2)),
          l3(timing.cycles(timing.l3)),
          memory(timing.cycles(timing.memory)),
          line_interval(timing.cycles(timing.line_interval)),
          rdtsc(timing.cycles(timing.rdtsc)),
          fault(timing.cycles(timing.fault)),
          round_trip(timing.cycles(timing.vm_exit) + timing.cycles(timing.vm_entry)) {}

    Cycles stlb;
    Cycles walk;
    std::array<Cycles, 3> lookup;  ///< by StructureLookup::Group
    Cycles accessed_dirty;
    Cycles l1d;
    Cycles l2;
    Cycles l3;
    Cycles memory;
    Cycles line_interval;
    Cycles rdtsc;
    Cycles fault;
    Cycles round_trip;  ///< a VM exit and the entry that follows it
};

}  // namespace nestwalk
