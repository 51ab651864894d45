#pragma once

// What decides the order of vCPUs that run side by side, beside their times.

#include "sim/timing_parameters.h"

#include <cstdint>

namespace nestwalk {

/// A hypervisor, or whoever else shares the processors, that takes them away now and then.
struct StealParameters {
    /// From the end of one absence to the next; 0: never.
    Latency mean_interval{0, ClockDomain::kNanoseconds};
    Latency duration{0, ClockDomain::kNanoseconds};  ///< of each
    std::uint64_t seed{1};

    bool enabled() const { return mean_interval.milli > 0 && duration.milli > 0; }
    bool operator==(const StealParameters&) const = default;
};

struct ScheduleParameters {
    /// Which of several vCPUs goes first at the same time: 0 the one with the lowest number, else
    /// one picked at random.
    std::uint64_t seed{};
    StealParameters steal{};

    bool operator==(const ScheduleParameters&) const = default;
};

}  // namespace nestwalk
