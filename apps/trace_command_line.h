#pragma once

// `nestwalk trace` on the command line.

#include "apps/trace_options.h"

#include <variant>

#include <CLI/App.hpp>

namespace nestwalk {

using TraceCommand = std::variant<TraceInfoOptions, TraceConvertOptions, TraceHeadOptions,
                                  TraceCutOptions, TraceMergeOptions, TraceGenerateOptions>;

/// The options of its subcommands, of which one is asked for.
struct TraceOptions {
    TraceInfoOptions info{};
    TraceConvertOptions convert{};
    TraceHeadOptions head{};
    TraceCutOptions cut{};
    TraceMergeOptions merge{};
    TraceGenerateOptions generate{};
};

/// Adds `trace` and its subcommands to the program. `options` must live as long as it.
void add_trace(CLI::App& app, TraceOptions& options);
/// The one that was asked for, once the command line has been parsed.
TraceCommand asked_for(const CLI::App& app, const TraceOptions& options);

}  // namespace nestwalk
