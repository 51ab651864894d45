// nestwalk: reads the command line, does what it says, and turns errors into messages and exit
// statuses.

#include "apps/command_line.h"
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "sim/replay.h"
#include "traces/source_location.h"

#include <cstdio>
#include <exception>
#include <new>

namespace {

struct Dispatch {
    int operator()(const nestwalk::RunOptions& options) const { return run_command(options); }
    int operator()(const nestwalk::SweepOptions& options) const { return sweep_command(options); }
    int operator()(const nestwalk::CompareOptions& options) const {
        return compare_command(options);
    }
    int operator()(const nestwalk::ValidateOptions& options) const {
        return validate_command(options);
    }
    int operator()(const nestwalk::CalibrateOptions& options) const {
        return calibrate_command(options);
    }
    int operator()(const nestwalk::WalkOptions& options) const { return walk_command(options); }
    int operator()(const nestwalk::ShowOptions& options) const { return show_command(options); }
    int operator()(const nestwalk::TraceInfoOptions& options) const {
        return trace_info_command(options);
    }
    int operator()(const nestwalk::TraceConvertOptions& options) const {
        return trace_convert_command(options);
    }
    int operator()(const nestwalk::TraceHeadOptions& options) const {
        return trace_head_command(options);
    }
    int operator()(const nestwalk::TraceCutOptions& options) const {
        return trace_cut_command(options);
    }
    int operator()(const nestwalk::TraceMergeOptions& options) const {
        return trace_merge_command(options);
    }
    int operator()(const nestwalk::TraceGenerateOptions& options) const {
        return trace_generate_command(options);
    }
};

int say(const char* message, int status) {
    std::fprintf(stderr, "nestwalk: %s\n", message);
    return status;
}

int say_interrupted() {
    return say("interrupted; no results were written", nestwalk::kExitInterrupted);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace nestwalk;
    try {
        const auto parsed = parse_command_line(argc, argv);
        if (const int* status = std::get_if<int>(&parsed)) return *status;
        handle_interrupts();
        return std::visit(Dispatch{}, std::get<Command>(parsed));
    } catch (const InputError& error) {
        if (interrupted()) return say_interrupted();  // a read that was broken off
        std::fprintf(stderr, "%s\n", error.what());
        return kExitBadInput;
    } catch (const Interrupted&) {
        return say_interrupted();
    } catch (const std::bad_alloc&) {
        return say("out of memory; no results were written", kExitBadInput);
    } catch (const std::exception& error) {
        return say(error.what(), kExitBadInput);
    }
}
