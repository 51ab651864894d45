#pragma once

// The `timing` section of a machine file: its keys, and what they need of each other.

#include "apps/machine_choices.h"
#include "sim/timing_parameters.h"

#include <array>
#include <span>

namespace nestwalk {

inline constexpr std::array<Keyword<Drain>, 2> kDrainWords{
    {{"before", Drain::kBefore}, {"overlap", Drain::kOverlap}}};

std::span<const ChoiceKey> timing_keys();

/// Throws InputError if the machine has a cache whose latency the section leaves out, or a latency
/// that is beyond all bounds in core cycles. `machine` is what `machine_file` was read to.
void check_timing(const Machine& machine, const ConfigFields& machine_file);

}  // namespace nestwalk
