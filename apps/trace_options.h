#pragma once

// What the user asked of `nestwalk trace`, one type a subcommand.

#include "apps/import_section.h"
#include "apps/run_report.h"
#include "apps/trace_merge.h"
#include "traces/open_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Top-level records of a trace; a `repeat` block is one.
struct RecordRange {
    std::uint64_t skip{};
    std::uint64_t limit{UINT64_MAX};
};

/// Times of capture, the last one left out, in nanoseconds.
struct TimeRange {
    std::uint64_t from{};
    std::uint64_t to{UINT64_MAX};
};

struct TraceInfoOptions {
    TraceInput in{};
    ReportFormat format{};
};

struct TraceConvertOptions {
    TraceInput in{};
    TraceTarget out{};
};

struct TraceHeadOptions {
    TraceInput in{};
    RecordRange records{0, 10};
};

struct TraceCutOptions {
    TraceInput in{};
    TraceTarget out{};
    RecordRange records{};
    std::optional<TimeRange> time{};  ///< instead of `records`
};

struct TraceMergeOptions {
    TraceInput in{};  ///< each of `inputs`, but for its path
    std::vector<std::string> inputs{};
    TraceTarget out{};
    MergedCpus cpus{};
    MergedSpaces spaces{};
};

struct TraceGenerateOptions {
    std::string kind{};
    TraceTarget out{};
    std::vector<std::pair<std::string, std::string>> keys{};  ///< of the generator, and values
};

}  // namespace nestwalk
