#pragma once

// A machine as a picture: one box a structure with its geometry, an arrow to each structure that it
// asks on a miss.

#include "models/machine.h"

#include <string>

namespace nestwalk {

/// For Graphviz, in the DOT language.
std::string machine_dot(const MachineParameters& machine);

}  // namespace nestwalk
