#pragma once

// The subcommands. Each prints its results and returns the exit status; bad input throws
// InputError.

#include "apps/command_line.h"

namespace nestwalk {

int run_command(const RunOptions& options);
int sweep_command(const SweepOptions& options);
int compare_command(const CompareOptions& options);
int validate_command(const ValidateOptions& options);
int calibrate_command(const CalibrateOptions& options);
int walk_command(const WalkOptions& options);
int show_command(const ShowOptions& options);
int trace_info_command(const TraceInfoOptions& options);
int trace_convert_command(const TraceConvertOptions& options);
int trace_head_command(const TraceHeadOptions& options);
int trace_cut_command(const TraceCutOptions& options);
int trace_merge_command(const TraceMergeOptions& options);
int trace_generate_command(const TraceGenerateOptions& options);

}  // namespace nestwalk
