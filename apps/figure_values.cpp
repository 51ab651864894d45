#include "apps/figure_values.h"
#include "apps/config_path.h"
#include "apps/latency.h"
#include "apps/phase_statistics.h"
#include "apps/simulation.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace nestwalk {

namespace {

std::vector<Override> overrides_of_case(const Measurement& measurement, const RunCase& run_case) {
    const MeasuredRun& run = measurement.runs[run_case.run];
    std::vector<Override> overrides = run.overrides;
    if (run_case.alternative) {
        const std::vector<Override>& more = run.alternatives[*run_case.alternative].overrides;
        overrides.insert(overrides.end(), more.begin(), more.end());
    }
    for (const FittedConstant& constant : measurement.constants) {
        if (std::count(constant.runs.begin(), constant.runs.end(), run_case.run) == 0) continue;
        ConfigNode value = latency_node(constant.value);
        relocate(value, constant.written.location);
        overrides.push_back({constant.key, value, constant.written.location});
    }
    return overrides;
}

double read_statistic(const RunResult& result, const std::vector<Phase>& phases,
                      const MeasuredFigure& figure) {
    const Phase& phase = find_phase(phases, figure.phase, figure.phase_location);
    for (const std::size_t at : counters_named(figure.statistic))
        if (counter::needs_clock(at) && !result.timed)
            throw InputError(figure.statistic_location, nestwalk::quoted(figure.statistic) +
                                                            " needs a machine that says how long "
                                                            "things take, and that of the run of " +
                                                            nestwalk::quoted(figure.id) +
                                                            " has timing: off");
    double value = statistic_of(phase, figure.statistic);
    if (!figure.less.empty()) {
        value -=
            statistic_of(find_phase(phases, figure.less, figure.less_location), figure.statistic);
    }
    return value / static_cast<double>(figure.per);
}

// The machine of a run whose figures are all inputs, so that it has no experiment.
Machine machine_alone(const MeasuredRun& run) {
    const Override& machine = run.overrides.front();
    return load_machine(find_machine(run.machine, {}, machine.location),
                        {run.overrides.begin() + 1, run.overrides.end()});
}

double machine_value(const Machine& machine, const MeasuredFigure& figure) {
    const std::string key = dotted(figure.key);
    const auto found =
        std::find_if(machine.provenance.begin(), machine.provenance.end(),
                     [&](const ProvenanceEntry& entry) { return entry.path == key; });
    if (found == machine.provenance.end())
        throw InputError(figure.location,
                         "the machine has no value of the name " + nestwalk::quoted(key));
    if (found->provenance.kind != ProvenanceKind::kDocumented &&
        found->provenance.kind != ProvenanceKind::kMeasured)
        throw InputError(figure.location,
                         nestwalk::quoted(figure.id) + " is no input: in the machine file " + key +
                             " is '" +
                             std::string(word_for(found->provenance.kind, kProvenanceWords)) +
                             "', expected documented or measured");
    double value = 0;
    const char* const end = found->value.data() + found->value.size();
    const auto [stop, error] = std::from_chars(found->value.data(), end, value);
    if (error != std::errc() || (stop != end && *stop != ' '))
        throw InputError(figure.location, "in the machine file " + key + " is " +
                                              nestwalk::quoted(found->value) +
                                              ", expected a number");
    return value;
}

}  // namespace

std::vector<RunCase> run_cases(const Measurement& measurement) {
    std::vector<RunCase> cases;
    for (std::size_t run = 0; run < measurement.runs.size(); ++run) {
        const std::size_t alternatives = measurement.runs[run].alternatives.size();
        if (alternatives == 0) cases.push_back({run, {}});
        for (std::size_t at = 0; at < alternatives; ++at) cases.push_back({run, at});
    }
    return cases;
}

std::optional<RunCase> chosen_case(const Measurement& measurement, std::size_t run) {
    const MeasuredRun& measured = measurement.runs[run];
    if (!measured.alternatives.empty() && !measured.chosen) return std::nullopt;
    return RunCase{run, measured.chosen};
}

std::optional<Experiment> load_case(const Measurement& measurement, const RunCase& run_case) {
    const bool counted = std::any_of(measurement.figures.begin(), measurement.figures.end(),
                                     [&](const MeasuredFigure& figure) {
                                         return figure.run == run_case.run && figure.is_counted();
                                     });
    if (!counted) return std::nullopt;
    return load_experiment(measurement.runs[run_case.run].experiment,
                           overrides_of_case(measurement, run_case));
}

FigureValues figure_values(const Measurement& measurement, const RunCase& run_case,
                           const std::optional<Experiment>& experiment,
                           const std::atomic<bool>* stop) {
    std::optional<RunResult> result;
    std::vector<Phase> phases;
    if (experiment) {
        result = run(*experiment, {.stop = stop});
        phases = result->statistics.phases();
    }
    FigureValues values(measurement.figures.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.run != run_case.run) continue;
        if (figure.is_counted()) values[at] = read_statistic(*result, phases, figure);
        if (!figure.key.empty())
            values[at] = machine_value(
                experiment ? experiment->machine : machine_alone(measurement.runs[figure.run]),
                figure);
    }
    return values;
}

void merge(FigureValues& into, const FigureValues& from) {
    for (std::size_t at = 0; at < from.size(); ++at)
        if (from[at]) into[at] = from[at];
}

}  // namespace nestwalk
