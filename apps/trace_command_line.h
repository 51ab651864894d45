#pragma once

// `nestwalk trace` on the command line.

#include "apps/trace_options.h"

#include <CLI/App.hpp>

namespace nestwalk {

/// The options of its subcommands, of which one is asked for.
struct TraceOptions {
    TraceConvertOptions convert{};
};

/// Adds `trace` and its subcommands to the program. `options` must live as long as it.
void add_trace(CLI::App& app, TraceOptions& options);

}  // namespace nestwalk
