#pragma once

// What the simulator says of each figure, before anything is compared: runs the experiments of a
// measurement and reads their statistics.

#include "apps/experiment_file.h"
#include "apps/measurement.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace nestwalk {

/// One a figure: its statistic divided by its `per`, or the value of its key; nothing where the
/// simulator was not asked.
using FigureValues = std::vector<std::optional<double>>;

/// A run under one of its alternatives; under none where it has none.
struct RunCase {
    std::size_t run{};
    std::optional<std::size_t> alternative{};
};

/// Every case of every run, in the order of the file.
std::vector<RunCase> run_cases(const Measurement& measurement);

/// The case that the figures of a run count under; nothing where it has alternatives and none is
/// chosen.
std::optional<RunCase> chosen_case(const Measurement& measurement, std::size_t run);

/// The experiment of a case with the constants that it has; nothing where no figure is counted in
/// it. Throws InputError.
std::optional<Experiment> load_case(const Measurement& measurement, const RunCase& run_case);

/// Runs the experiment of a case and gives the values of the run's figures. Throws InputError, and
/// Interrupted when `stop` is set.
FigureValues figure_values(const Measurement& measurement, const RunCase& run_case,
                           const std::optional<Experiment>& experiment,
                           const std::atomic<bool>* stop);

/// Takes over what `from` has.
void merge(FigureValues& into, const FigureValues& from);

}  // namespace nestwalk
