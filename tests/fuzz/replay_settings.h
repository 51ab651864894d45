#pragma once

// The small systems that the replay target runs on. Few entries, so that a short trace fills,
// shares and replaces everything.

#include "models/machine.h"
#include "models/system_parameters.h"

#include <array>
#include <cstdint>

namespace nestwalk::fuzz {

/// The first bytes of an input, as bits.
using Choices = std::array<std::uint8_t, 5>;

MachineParameters machine_of(const Choices& choices);
SystemParameters system_of(const Choices& choices);

}  // namespace nestwalk::fuzz
