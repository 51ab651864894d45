#pragma once

// The option --page-sizes: regions of an experiment's guest from what Linux says about a process.

#include "apps/config_override.h"
#include "traces/page_sizes.h"

#include <string>

namespace nestwalk {

/// Puts the regions in the place of `system.guest.regions`.
Override regions_override(const PageSizes& sizes);
/// A line for people, with its end: how many regions, and what was left out.
std::string page_sizes_text(const PageSizes& sizes);

}  // namespace nestwalk
