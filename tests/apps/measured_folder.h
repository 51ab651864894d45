#pragma once

// A configuration directory of its own for tests of measurements: a small machine that keeps time,
// an experiment on it, and whatever measurements a test writes.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace nestwalk::test {

/// Core and time-stamp clock are the same. INVLPG and MOV to CR3 are calibrated by default.
inline const std::string kSmallMachine = R"(name: small
title: Small
vendor: intel
l1_dtlb:
  dtlb: {pages: [4K, 2M], entries: 16, ways: full, replacement: lru}
combined_target: host-physical
timing: {core_mhz: 2000, tsc_mhz: 2000, issue_width: 4, load_ports: 2, store_ports: 1, reorder_entries: 192,
         outstanding_misses: 10, walkers: 1, stlb_latency: 8, walk_latency: 16, l1d_latency: 4,
         memory_latency: 60, invlpg: 216, mov_cr3: 124}
provenance:
  - {keys: [all], is: assumed, source: a test}
  - {keys: [timing.invlpg], is: calibrated, source: a test, on: a figure}
  - {keys: [timing.mov_cr3], is: documented, source: a test}
)";

/// A thousand times INVLPG; a thousand times MOV to CR3; and each of these with four loads.
inline const std::string kSmallExperiment = R"(title: small
machine: small
workload:
  program: |
    phase "invlpg"
    rdtsc
    repeat 1000 {
      invlpg 0x5000
    }
    rdtsc
    phase "cr3"
    rdtsc
    repeat 1000 {
      mov-cr3
    }
    rdtsc
    phase "invlpg and loads"
    rdtsc
    repeat 1000 {
      invlpg 0x400000
      load 0x400000 count=4 stride=4K
    }
    rdtsc
    phase "cr3 and loads"
    rdtsc
    repeat 1000 {
      mov-cr3
      load 0x400000 count=4 stride=4K
    }
    rdtsc
)";

class MeasuredFolder {
public:
    MeasuredFolder()
        : folder_(std::filesystem::temp_directory_path() /
                  ("nestwalk-measured-" + std::to_string(getpid()))) {
        std::filesystem::remove_all(folder_);
        for (const char* name : {"machines", "experiments", "validation"})
            std::filesystem::create_directories(folder_ / name);
        write("machines/small.yaml", kSmallMachine);
        write("experiments/small.yaml", kSmallExperiment);
        setenv("NESTWALK_CONFIGS", folder_.c_str(), 1);
    }
    MeasuredFolder(const MeasuredFolder&) = delete;
    MeasuredFolder& operator=(const MeasuredFolder&) = delete;
    ~MeasuredFolder() {
        unsetenv("NESTWALK_CONFIGS");
        std::filesystem::remove_all(folder_);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }

    std::string read(const std::string& name) const {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

private:
    std::filesystem::path folder_;
};

}  // namespace nestwalk::test
