#pragma once

// Measurement files by name, and the reading of their documents. docs/validation.md says what each
// key means.

#include "apps/config_node.h"
#include "apps/measurement.h"

#include <string>
#include <vector>

namespace nestwalk {

/// Ids of all measurements in the configuration directories, sorted.
std::vector<std::string> measurement_ids();

/// The measurement of that id. Throws InputError, for an unknown id listing the known ones.
Measurement find_measurement(const std::string& id);

/// Those measurements, each once; all of them where no id is given. Throws InputError.
std::vector<Measurement> find_measurements(const std::vector<std::string>& ids);

/// The measurement in a document. Paths of experiments in it start from `base`. Throws InputError.
Measurement read_measurement(const ConfigNode& document, const std::string& base);

}  // namespace nestwalk
