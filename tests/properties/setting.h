#pragma once

// A machine and a system to compare model and oracle on, and the declarations that every program on
// it starts with.

#include "models/machine.h"
#include "models/operation.h"
#include "models/system_parameters.h"

#include <string>
#include <vector>

namespace nestwalk::test {

enum class Strictness : std::uint8_t {
    kExact,    ///< hits exactly when the oracle says so, and the same reads
    kAllowed,  ///< nothing is used that had to be dropped, and walks find what memory says
};

struct Setting {
    std::string name{};
    MachineParameters machine{};
    SystemParameters system{};
    Strictness strictness{};

    bool amd() const { return machine.vendor == Vendor::kAmd; }
    bool has_os() const { return system.os.kind != OsKind::kNone; }
    bool virtualized() const { return system.paging != Paging::kNative; }
};

/// Spaces, virtual machines and host tables, and host mappings of all guest-physical memory that
/// programs use, so that nothing is mapped on first touch.
std::vector<Operation> prelude(const Setting& setting);

/// Every structure unbounded.
const std::vector<Setting>& exact_settings();
/// Machines with capacities: like real ones, and tiny ones with every replacement policy.
const std::vector<Setting>& bounded_settings();
/// Every structure unbounded, and an operating system.
const std::vector<Setting>& os_settings();

}  // namespace nestwalk::test
