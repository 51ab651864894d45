#pragma once

// The options by which a command is told how to read a foreign trace.

#include "apps/import_section.h"

#include <CLI/App.hpp>

namespace nestwalk {

/// Adds --trace-format, --spaces-from, --cpus-from, --fetches, --radix and --columns.
void add_import(CLI::App& command, ImportArguments& arguments);

}  // namespace nestwalk
