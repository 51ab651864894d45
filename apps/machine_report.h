#pragma once

// Machines as `nestwalk show` prints them: a list in a line each, or every value of one and its
// source.

#include "apps/machine_file.h"

#include <string>
#include <vector>

namespace nestwalk {

/// The machine's TLBs in a line: "dTLB 64x4K + 32x2M + 4x1G, iTLB ..., STLB 1024x4K+2M, ...".
std::string geometry_words(const MachineParameters& machine);

std::string machines_text(const std::vector<Machine>& machines);
std::string machines_json(const std::vector<Machine>& machines);

/// Values grouped by section; sources are numbered, and listed at the end.
std::string machine_text(const Machine& machine);
std::string machine_json(const Machine& machine);

}  // namespace nestwalk
