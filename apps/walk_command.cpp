#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "apps/output.h"
#include "apps/simulation.h"
#include "apps/traced_walk.h"
#include "apps/walk_report.h"
#include "traces/number.h"
#include "traces/wording.h"

#include <memory>

namespace nestwalk {
namespace {

VirtAddr address_of(const WalkOptions& options) {
    const ParsedNumber number = parse_number(options.address);
    if (number.fault == NumberFault::kNone) return VirtAddr(number.value);
    throw InputError({"ADDRESS"}, fault("not an address", options.address,
                                        "a 64-bit number, as 0x7f00_0000_1000 or 4096"));
}

AccessKind kind_of(const WalkOptions& options) {
    if (options.access == "store") return AccessKind::kStore;
    return options.access == "fetch" ? AccessKind::kFetch : AccessKind::kLoad;
}

std::unique_ptr<System> system_of(const Experiment& experiment, const WalkOptions& options) {
    if (options.after_workload) return system_after(experiment, {.stop = &interrupted()});
    return std::make_unique<System>(experiment.machine.parameters, experiment.system);
}

}  // namespace

int walk_command(const WalkOptions& options) {
    if (options.format == ReportFormat::kCsv) {
        throw InputError({"--format"},
                         "a walk has no table that csv could hold: 'csv'; expected text or json");
    }
    const Access access{.kind = kind_of(options), .va = address_of(options), .bytes = 1};
    const Experiment experiment = load_experiment(options.experiment, parse_overrides(options.set));
    const std::unique_ptr<System> system = system_of(experiment, options);
    const TracedWalk walk = trace_walk(*system, access);
    const WalkState state = options.after_workload ? WalkState::kAfterWorkload : WalkState::kStart;
    write_stdout(options.dot                             ? walk_dot(experiment, state, walk)
                 : options.format == ReportFormat::kJson ? walk_json(experiment, state, walk)
                                                         : walk_text(experiment, state, walk));
    return kExitDone;
}

}  // namespace nestwalk
