#include "apps/measurement_runs.h"
#include "apps/measurement_fields.h"
#include "apps/measurement_figures.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 9> kRunKeys{"id",           "machine", "statistic",
                                                   "experiment",   "set",     "assumptions",
                                                   "alternatives", "chosen",  "figures"};
constexpr std::array<std::string_view, 3> kAlternativeKeys{"id", "about", "set"};

void read_machine_name(const ConfigFields& fields, const RunDefaults& defaults, MeasuredRun& run) {
    std::optional<ConfigValue> machine = fields.find("machine");
    if (!machine) machine = defaults.machine;
    if (!machine) return;
    run.machine = read_text(*machine);
    run.overrides.push_back({{"machine"}, *machine->node, machine->node->location});
}

std::vector<Alternative> read_alternatives(const ConfigValue& list) {
    std::vector<Alternative> alternatives;
    for (const ConfigValue& item : read_list(list, "a list of alternatives")) {
        const ConfigFields fields(item, kAlternativeKeys);
        const std::string id = read_new_id(fields, alternatives);
        alternatives.push_back(
            {id, read_text(fields.require("about")), overrides_of(*fields.require("set").node)});
    }
    if (alternatives.size() < 2) refuse(list, "one alternative is none, expected at least two");
    return alternatives;
}

void read_choice(const ConfigFields& fields, MeasuredRun& run) {
    if (const auto list = fields.find("alternatives")) run.alternatives = read_alternatives(*list);
    if (const auto chosen = fields.find("chosen"))
        run.chosen = read_reference(*chosen, run.alternatives);
}

bool needs_machine(const MeasuredFigure& figure) {
    return figure.is_counted() || !figure.key.empty();
}

// What the figures ask of their run must be there.
void check_run(const ConfigValue& item, const Measurement& measurement) {
    const MeasuredRun& run = measurement.runs.back();
    for (const MeasuredFigure& figure : measurement.figures) {
        if (figure.run + 1 != measurement.runs.size()) continue;
        if (needs_machine(figure) && run.machine.empty())
            refuse(item, "the key 'machine' is missing, here and at the top");
        if (figure.is_counted() && run.experiment.empty())
            throw InputError(figure.location, nestwalk::quoted(figure.id) +
                                                  " is counted in a phase, so its run needs an "
                                                  "'experiment'");
    }
}

void read_run(const ConfigValue& item, const RunDefaults& defaults, Measurement& measurement) {
    const ConfigFields fields(item, kRunKeys);
    MeasuredRun run{};
    run.id = read_new_id(fields, measurement.runs);
    run.location = item.node->location;
    if (const auto experiment = fields.find("experiment"))
        run.experiment =
            (fs::path(defaults.base) / read_text(*experiment)).lexically_normal().string();
    read_machine_name(fields, defaults, run);
    if (const auto set = fields.find("set")) {
        const std::vector<Override> changes = overrides_of(*set->node);
        run.overrides.insert(run.overrides.end(), changes.begin(), changes.end());
    }
    for (const ConfigValue& name :
         read_optional_list(fields.find("assumptions"), "a list of assumptions"))
        run.assumptions.push_back(read_reference(name, measurement.assumptions));
    read_choice(fields, run);
    measurement.runs.push_back(std::move(run));

    std::optional<ConfigValue> statistic = fields.find("statistic");
    if (statistic) read_statistic(*statistic);
    if (!statistic) statistic = defaults.statistic;
    for (const ConfigValue& figure : read_list(fields.require("figures"), "a list of figures"))
        read_figure(figure, statistic, measurement);
    check_run(item, measurement);
}

}  // namespace

void read_runs(const ConfigValue& list, const RunDefaults& defaults, Measurement& measurement) {
    for (const ConfigValue& item : read_list(list, "a list of runs"))
        read_run(item, defaults, measurement);
}

}  // namespace nestwalk
