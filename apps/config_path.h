#pragma once

// Where machine files are found: by path, or by name in the directories of configurations.

#include "traces/source_location.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nestwalk {

/// In order of precedence: $NESTWALK_CONFIGS, share/nestwalk/configs beside the program's bin, and
/// the directory given when nestwalk was built. They need not exist.
std::vector<std::filesystem::path> config_directories();

/// Names of all machines in those directories, sorted.
std::vector<std::string> machine_names();

/// The file of a machine. What ends in .yaml is a path, relative to `base`; all else is a name.
/// Throws InputError at `asked` for an unknown name, listing the known ones.
std::string find_machine(const std::string& name, const std::filesystem::path& base,
                         const SourceLocation& asked);

}  // namespace nestwalk
