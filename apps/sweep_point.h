#pragma once

// One point of a sweep, run, and its result as it is kept.

#include "apps/statistic_values.h"
#include "apps/sweep_plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

enum class PointStatus : std::uint8_t {
    kDone,
    kFailed,   ///< it cannot be run: the same again would fail again
    kCrashed,  ///< its process did not live to say anything, or had no memory left
};

/// "done", "failed", "crashed".
const char* name_of(PointStatus status);
/// Throws InputError at `file` for any other word.
PointStatus point_status_named(const std::string& word, const std::string& file);

struct PointResult {
    std::size_t point{};  ///< from 1
    PointStatus status{};
    std::string key{};    ///< of its experiment; empty if there is none
    std::string error{};  ///< of one that is not done
    std::vector<PhaseValues> phases{};

    bool operator==(const PointResult&) const = default;
};

/// Runs the point. What is wrong with it is in the result; nothing is thrown.
PointResult run_point(const SweepPlan& plan, std::size_t point, Engine engine);

/// A result as bytes, for the way from one process to another on the same machine.
std::string packed(const PointResult& result);
PointResult unpacked(std::string_view bytes);

}  // namespace nestwalk
