#pragma once

// What the user asked for on the command line, one type a subcommand.

#include "apps/import_section.h"
#include "apps/run_report.h"
#include "apps/simulation.h"
#include "apps/trace_options.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nestwalk {

struct RunOptions {
    std::string experiment{};
    std::string trace{};       ///< instead of the experiment's workload; "-" is standard input
    ImportArguments import{};  ///< how it is read, if its format is another tool's
    std::string page_sizes{};  ///< smaps of a process, or a list of its pages; empty: none
    std::vector<std::string> set{};  ///< KEY=VALUE
    ReportFormat format{};
    std::string output{};  ///< a directory for the results, or empty for standard output
    std::string access_log{};
    std::string schedule_log{};
    bool check{};
    bool no_collapse{};
    Engine engine{};
    Truncation truncation{};
    RunPart part{};
    std::uint64_t interval{};  ///< references; 0: none
    std::string interval_csv{};
    std::vector<std::string> interval_columns{};  ///< names of statistics; empty: the usual ones
    std::size_t top{};                            ///< pages and regions that missed most; 0: none
};

struct SweepOptions {
    std::vector<std::string> files{};  ///< the experiment; with `merge` the files to join
    std::string show{};                ///< results to print, instead of running anything
    std::string merge{};               ///< results to make of others, instead of running anything
    std::vector<std::string> set{};    ///< KEY=VALUE
    std::size_t processes{1};
    std::string output{};  ///< the results file, or empty for none
    bool resume{};
    std::string shard{};  ///< I/N, or empty for all points
    Engine engine{};
    ReportFormat format{};
    std::vector<std::string> columns{};
    std::optional<std::string> phase{};
};

struct CompareOptions {
    std::string a{};
    std::string b{};
    ReportFormat format{};
    std::size_t rows{};  ///< of the table, at most; 0: all
};

struct ValidateOptions {
    std::vector<std::string> ids{};  ///< empty: all
    ReportFormat format{};
    std::string output{};
    std::size_t threads{1};
};

struct CalibrateOptions {
    std::vector<std::string> ids{};  ///< empty: all
    std::size_t threads{1};
    bool write{};
};

struct WalkOptions {
    std::string experiment{};
    std::string address{};
    std::vector<std::string> set{};
    std::string access{"load"};  ///< load, store or fetch
    bool after_workload{};       ///< walk in the state that the workload leaves behind
    ReportFormat format{};
    bool dot{};  ///< a picture of the walk
};

struct ShowOptions {
    std::string what{};  ///< machines, machine, experiment, hypervisors, hypervisor, schema
    std::string name{};  ///< of a machine, a file, a hypervisor or a kind of file
    std::vector<std::string> set{};
    ReportFormat format{};
    bool dot{};  ///< a picture of the machine instead of its values
};

using Command =
    std::variant<RunOptions, SweepOptions, CompareOptions, ValidateOptions, CalibrateOptions,
                 WalkOptions, ShowOptions, TraceInfoOptions, TraceConvertOptions, TraceHeadOptions,
                 TraceCutOptions, TraceMergeOptions, TraceGenerateOptions>;

/// Either a command, or the exit status after help, a version or a usage error was printed.
std::variant<Command, int> parse_command_line(int argc, const char* const* argv);

}  // namespace nestwalk
