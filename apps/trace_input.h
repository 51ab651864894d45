#pragma once

// A trace as the subcommands of `nestwalk trace` are told of it.

#include "apps/trace_options.h"
#include "traces/open_trace.h"

namespace nestwalk {

/// Throws InputError.
OpenedTrace open_input(const TraceInput& input);

/// Says on standard error if a trace was cut short.
void note_cut_short(const TraceSource& source);
/// The same, and what became of a foreign trace.
void note_input(const TraceSource& source);

}  // namespace nestwalk
