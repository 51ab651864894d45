#pragma once

// Which answers to questions that the manuals leave open a result rests on (docs/choices.md).

#include "apps/experiment_file.h"

#include <string>

namespace nestwalk {

/// "fracture.model=sticky, invalidation.page_fault_globals=keep": the choices of invalidation that
/// are not the defaults, and, where it can matter, all about page fracturing. Empty if there are
/// none.
std::string open_choices(const Experiment& experiment);

}  // namespace nestwalk
