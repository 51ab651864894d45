#pragma once

// Constants as their file has them against the same solved for again, and against the machine files
// that have them too.

#include "apps/measurement.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct Calibration {
    Measurement measurement{};
    std::vector<Latency> solved{};              ///< one a constant
    std::vector<std::string> machine_faults{};  ///< where a machine file does not have its value
};

/// Whether the solved values have been written to the file.
enum class Written : std::uint8_t { kNo, kYes };

/// Throws InputError, and Interrupted when `stop` is set.
Calibration calibrate(Measurement measurement, std::size_t threads = 1,
                      const std::atomic<bool>* stop = nullptr);

/// The constants whose value in the file differs from the solved one by more than rounding.
std::vector<std::size_t> differing(const Calibration& calibration);

std::string calibration_text(const std::vector<Calibration>& calibrations, Written written);

}  // namespace nestwalk
