#pragma once

// Experiment files: which machine, which system, which trace.

#include "apps/config_node.h"
#include "apps/config_override.h"
#include "apps/machine_file.h"
#include "apps/workload_section.h"
#include "models/system_parameters.h"
#include "sim/schedule_parameters.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nestwalk {

struct Experiment {
    std::string title{};
    Machine machine{};
    SystemParameters system{};
    ScheduleParameters schedule{};
    Workload workload{};

    bool operator==(const Experiment&) const = default;
};

/// The experiment in `document`, without its sweep. Relative paths in it start from `base`.
/// `overrides` are those of the command line: keys that begin with title, machine, system, workload
/// or sweep change the experiment, all others (and `set.KEY`) its machine, after the experiment's
/// own `set`. Throws InputError.
Experiment read_experiment(ConfigNode document, const std::filesystem::path& base,
                           const std::vector<Override>& overrides = {});

/// The same from a file; relative paths start from its directory.
Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides = {});

/// Applies those of `overrides` that change the experiment to its document, and returns those that
/// change its machine, in order and without `set.` before them.
std::vector<Override> apply_own(ConfigNode& document, const std::vector<Override>& overrides);

/// The override that `--trace FILE` stands for: the whole workload becomes that file.
Override trace_override(const std::string& path);

/// The experiment with every default filled in and the machine written out, as a document that
/// `read_experiment` reads back to the same experiment.
ConfigNode resolve(const Experiment& experiment);

}  // namespace nestwalk
