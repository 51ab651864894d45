#pragma once

// The `import` section of a workload, and the options of the command line that say the same.

#include "apps/config_fields.h"
#include "apps/config_node.h"
#include "apps/config_override.h"
#include "traces/import_options.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwalk {

/// Throws InputError.
ImportOptions read_import(const ConfigValue& value);
/// What `read_import` reads back to the same options.
ConfigNode import_node(const ImportOptions& options);

/// What was typed, as words: `--cpus-from tid` is {"cpus_from", "tid"}.
struct ImportArguments {
    std::string format{};  ///< empty: not typed
    std::vector<std::pair<std::string, std::string>> words{};
};
/// Changes of `workload`, each at the place of its option. Columns are typed as "ip,op,address".
std::vector<Override> overrides_of(const ImportArguments& arguments);

}  // namespace nestwalk
