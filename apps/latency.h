#pragma once

// Latencies as machine files write them: "12" and "4.4" in core cycles, "448 tsc", "67 ns".

#include "apps/config_fields.h"
#include "sim/timing_parameters.h"

#include <array>

namespace nestwalk {

/// Words after the number; core cycles have none.
inline constexpr std::array<Keyword<ClockDomain>, 2> kClockWords{
    {{"tsc", ClockDomain::kTsc}, {"ns", ClockDomain::kNanoseconds}}};

inline constexpr std::int64_t kMostLatency = 1'000'000;  ///< in whatever unit
inline constexpr int kLatencyDecimals = 3;

/// Throws InputError for what is no latency, is negative, too large, or finer than a thousandth.
Latency read_latency(const ConfigValue& value);

/// The shortest text that reads back as `latency`.
ConfigNode latency_node(Latency latency);

}  // namespace nestwalk
