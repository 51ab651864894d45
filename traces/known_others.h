#pragma once

// Files that are no traces but come to hand where traces are kept: what they are, so that a refusal
// can say it.

#include <optional>
#include <string>
#include <string_view>

namespace nestwalk {

/// "looks like WHAT: WHY NOT; expected WHAT INSTEAD", for a file whose first bytes are `sample`;
/// nothing if it is none of the files that are known.
std::optional<std::string> known_other(std::string_view sample);

}  // namespace nestwalk
