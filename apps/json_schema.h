#pragma once

// JSON Schemas (draft-07) of the files that nestwalk reads, for editors: the tables that the
// readers follow, in other words. A schema accepts whatever the reader does; what depends on
// several values is the reader's alone.

#include <string>

namespace nestwalk {

/// Of machine files.
std::string machine_json_schema();
/// Of experiments, whose machine may be written out.
std::string experiment_json_schema();

}  // namespace nestwalk
