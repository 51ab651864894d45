#pragma once

// Machines for tests: those that come with the program, with settings as those of `--set`, and the
// smallest file there is, for tests of one of its sections.

#include "apps/config_override.h"
#include "apps/machine_file.h"
#include "apps/yaml_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {

inline Machine shipped_machine(const std::string& name,
                               const std::vector<std::string>& settings = {}) {
    return load_machine(NESTWALK_SOURCE_DIR "/configs/machines/" + name + ".yaml",
                        parse_overrides(settings));
}

/// The machine of a file whose line 7 is `line`.
inline Machine machine_with(const std::string& line,
                            const std::vector<std::string>& settings = {}) {
    const std::string text =
        "name: small\ntitle: Small\nvendor: intel\n"
        "l1_dtlb:\n  dtlb: {pages: [4K], entries: 4, ways: full, replacement: lru}\n"
        "combined_target: host-physical\n" +
        line + "\nprovenance:\n  - {keys: [all], is: assumed, source: a test}\n";
    return read_machine(read_yaml(text, "m.yaml"), parse_overrides(settings));
}

/// Where the value at that path comes from.
inline const ProvenanceEntry& entry_of(const Machine& machine, const std::string& path) {
    const auto found = std::find_if(machine.provenance.begin(), machine.provenance.end(),
                                    [&](const ProvenanceEntry& e) { return e.path == path; });
    REQUIRE_MESSAGE(found != machine.provenance.end(), path);
    return *found;
}

}  // namespace nestwalk
