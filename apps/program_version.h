#pragma once

#include <string>

namespace nestwalk {

/// "0.1.0+1a2b3c4d5e6f": the version, and a digest of the sources that the program was built from,
/// so that programs which may count differently never share it.
std::string program_version();

}  // namespace nestwalk
