#pragma once

// What the spaces of an operating system have in common. All have one kernel's half: their
// top-level tables have equal entries there. With page-table isolation each space has a second
// top-level table, for user code, whose entries of the user's half are those of the first and
// whose kernel's half is empty; what a real one maps of the kernel, the code and data of entry
// and exit, is left out.

#include "models/address.h"
#include "models/system_state.h"

#include <cstdint>
#include <vector>

namespace nestwalk {

/// The kernel's half of a space that comes into being.
void share_kernel_half(Software& os, const Space& space);

/// To be called when the tables of `space` have changed at `va`: its top-level entry goes to the
/// tables that share it. Where it was written: entries of those tables.
std::vector<std::uint64_t> share_top_level(Software& os, const Space& space, VirtAddr va);

}  // namespace nestwalk
