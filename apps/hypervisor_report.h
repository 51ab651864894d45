#pragma once

// The table of hypervisor_policy.h for people and for programs: `nestwalk show hypervisors`, and
// the generated part of docs/hypervisors.md.

#include "models/hypervisor_policy.h"

#include <span>
#include <string>
#include <vector>

namespace nestwalk {

/// The columns that a word of `system.hypervisor` can mean, one a vendor and option.
std::vector<HypervisorColumn> columns_of(Hypervisor kind);

/// All columns beside one another: does it exit, and what is flushed?
std::string hypervisors_text();
/// One hypervisor's columns below one another, each rule with its source.
std::string hypervisor_text(Hypervisor kind);
/// One object a rule.
std::string hypervisors_json(std::span<const HypervisorColumn> columns);

}  // namespace nestwalk
