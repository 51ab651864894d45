#include "apps/program_version.h"

namespace nestwalk {

extern const char* const kSourceRevision;  // of the file that CMake writes

std::string program_version() { return std::string(NESTWALK_VERSION "+") + kSourceRevision; }

}  // namespace nestwalk
