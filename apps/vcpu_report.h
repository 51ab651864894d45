#pragma once

// What a report says of each vCPU and of each lock, where there are several vCPUs.

#include "apps/simulation.h"

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace nestwalk {

/// Tables, each with an empty line before it; "" if there is nothing to tell.
std::string vcpu_text(const RunResult& result);

/// Adds the lists `vcpus` and `locks`, where there are any.
void add_vcpus(const RunResult& result, nlohmann::ordered_json& json);

/// Rows of the whole run.
std::string vcpu_csv(const RunResult& result);

/// The end of that of several vCPUs that ends last, in thousandths of a core cycle.
std::optional<std::uint64_t> run_length(const RunResult& result);

}  // namespace nestwalk
