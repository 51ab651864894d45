#pragma once

// The `workload` section of an experiment: a program, a trace file or a generator.

#include "apps/config_fields.h"
#include "apps/config_node.h"
#include "apps/generator_section.h"
#include "traces/open_trace.h"

#include <filesystem>
#include <string>
#include <variant>

namespace nestwalk {

/// A trace written inside the experiment. Line N, column C of `text` stands at line `location.line
/// + N - 1`, column `location.column + C - 1` of `location.file`, so errors in it can name the
/// experiment's line.
struct Program {
    std::string text{};
    SourceLocation location{};

    /// Two programs are equal if they say the same, wherever they are written.
    bool operator==(const Program& other) const { return text == other.text; }
};

/// A trace in a file of its own.
struct TraceFile {
    std::string path{};  ///< absolute, or "-" for standard input
    TraceFormat format{};
    ImportOptions import{};   ///< for a foreign format
    Truncation truncation{};  ///< of a binary trace; chosen for a run, not by the experiment
    SourceLocation location{};

    bool operator==(const TraceFile& other) const {
        return path == other.path && format == other.format && import == other.import;
    }
};

using Workload = std::variant<Program, TraceFile, PointerChase, GeneratedAccesses, AccessMix>;

/// A relative path in the file starts from `base`; one typed on the command line from where it was
/// typed. Throws InputError.
Workload read_workload(const ConfigValue& value, const std::filesystem::path& base);
/// What `read_workload` reads back to the same workload.
ConfigNode workload_node(const Workload& workload);

/// The value of `trace`: an absolute path, or "-" for standard input. Throws InputError.
std::string trace_path(const ConfigValue& value, const std::filesystem::path& base);

/// Where the relative paths of a value start.
std::filesystem::path base_of(const ConfigValue& value, const std::filesystem::path& base);

struct OpenedWorkload {
    std::unique_ptr<TraceSource> source{};
    std::shared_ptr<const InputProgress> progress{};  ///< of a file; null for what is none
    std::uint64_t most_records{UINT64_MAX};           ///< there are no more of them
};

/// The workload's records. Throws InputError if its file cannot be read.
OpenedWorkload open_workload(const Workload& workload);

}  // namespace nestwalk
