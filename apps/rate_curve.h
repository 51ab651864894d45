#pragma once

// Two ways of doing something, as a curve: the time that a workload takes in the one way as a share
// of the other, against how often the thing happens. It says at what rate a measured ratio of two
// times would come about, where the rate itself was not measured.

#include "apps/config_override.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

/// One of the two ways: what it changes in the experiment.
struct CurveWay {
    std::string id{};
    std::vector<Override> overrides{};
};

struct CurvePhase {
    std::string name{};  ///< of the experiment
    SourceLocation location{};
};

/// Phases that differ in nothing but how often the thing happens.
struct CurveWorkload {
    std::string id{};
    std::string title{};
    std::vector<CurvePhase> phases{};
};

/// A measured ratio to find the rate for.
struct CurveMark {
    std::size_t figure{};
    std::optional<double> cpu_seconds{};  ///< of all CPUs together, done in the second way
    std::optional<double> sys_seconds{};  ///< what the kernel reported of them, done in the first
};

struct RateCurve {
    enum class Side : std::uint8_t { kBelow, kAbove };

    std::string id{};
    std::string title{};
    std::string event{};  ///< what happens, as a noun
    SourceLocation location{};
    std::string experiment{};  ///< path
    CurveWay of{};             ///< whose time is divided
    CurveWay to{};             ///< by the time of this one
    std::string events{};      ///< statistic that counts what happens
    std::string own{};         ///< statistic of the time that this takes in both ways; empty: none
    Side side{};               ///< of 1, where the ratio is expected
    std::vector<CurveWorkload> workloads{};
    std::vector<CurveMark> marks{};
};

}  // namespace nestwalk
