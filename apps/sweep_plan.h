#pragma once

// What a sweep is to run: an experiment, and a point for each combination of the values of its
// `sweep` section. Everything but traces is read once, so that files which change meanwhile do not
// change the sweep.

#include "apps/experiment_file.h"
#include "apps/simulation.h"
#include "apps/sweep_description.h"
#include "apps/sweep_section.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestwalk {

/// Of the points that were looked at before the sweep: those that cannot be.
struct ImpossiblePoints {
    std::size_t count{};
    std::string first{};  ///< what is wrong with the first of them
};

class SweepPlan {
public:
    /// Throws InputError for a file that cannot be read or has no sweep, for an override of a key
    /// that the sweep varies, and for a trace that cannot be read again for every point.
    SweepPlan(const std::string& path, const std::vector<Override>& overrides);

    const std::vector<SweepAxis>& axes() const { return axes_; }
    std::size_t points() const { return combinations(axes_); }
    SweepDescription describe(Engine engine) const;

    /// The point's experiment; points count from 1. Throws ImpossibleValue for values that cannot
    /// be combined, InputError for any that nobody can use.
    Experiment experiment(std::size_t point) const;
    /// Which experiment that is: a digest of all that its result depends on.
    std::string key(const Experiment& experiment, Engine engine) const;

    /// Looks at every point, or, where those are many, at every value at least. Throws InputError
    /// if one has a value that nobody can use, or if no point is possible; Interrupted once `stop`
    /// is set.
    ImpossiblePoints check(const std::atomic<bool>& stop) const;
    /// Throws InputError if a trace is no longer the file that it was.
    void check_traces() const;

private:
    /// A file whose content is part of what the sweep is.
    struct Input {
        std::string name{};  ///< as it was written
        std::string sha256{};
        std::string stamp{};  ///< what changes when the file does
    };

    void read_machines(const ConfigValue& value);
    void read_traces();
    void read_trace(const ConfigNode& value);

    ConfigNode document_{};  ///< without its sweep
    std::filesystem::path base_{};
    std::vector<Override> settings_{};  ///< of the machine, from the command line
    std::vector<SweepAxis> axes_{};
    std::map<std::string, ConfigNode> machines_{};   ///< by path
    std::map<std::string, Input> machine_inputs_{};  ///< by path
    std::map<std::string, Input> traces_{};          ///< by path
};

}  // namespace nestwalk
