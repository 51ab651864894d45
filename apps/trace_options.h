#pragma once

// What the user asked of `nestwalk trace`, one type a subcommand.

#include "apps/import_section.h"
#include "traces/open_trace.h"

#include <cstdint>
#include <string>

namespace nestwalk {

/// A trace that is read.
struct TraceInput {
    std::string path{};        ///< "-" is standard input
    ImportArguments import{};  ///< how it is read, if its format is another tool's
    Truncation truncation{};
};

/// A trace that is written.
struct TraceTarget {
    std::string path{};    ///< "-" is standard output
    TraceFormat format{};  ///< kNwt, kNwb, or kAuto: as the name says
};

struct TraceConvertOptions {
    TraceInput in{};
    TraceTarget out{};
};

}  // namespace nestwalk
