#include "apps/measurement_file.h"
#include "apps/config_path.h"
#include "apps/yaml_reader.h"
#include "sim/counters.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 10> kMeasurementKeys{
    "id",     "title",   "unit",        "statistic", "jitter",
    "source", "machine", "assumptions", "groups",    "runs"};
constexpr std::array<std::string_view, 5> kSourceKeys{"title", "where", "year", "author",
                                                      "message"};
constexpr std::array<std::string_view, 3> kAssumptionKeys{"id", "fitted_to", "about"};
constexpr std::array<std::string_view, 3> kGroupKeys{"id", "title", "remainder"};
constexpr std::array<std::string_view, 5> kRunKeys{"id", "experiment", "set", "assumptions",
                                                   "figures"};
constexpr std::array<std::string_view, 8> kFigureKeys{"id",   "phase",  "group", "measured",
                                                      "role", "reason", "cause", "share_of"};

std::string read_id(const ConfigValue& value) {
    std::string id = read_text(value);
    if (id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
        reject(value, "an id of a-z, 0-9 and -");
    return id;
}

template <class Item>
std::optional<std::size_t> position_of(const std::vector<Item>& items, const std::string& id) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
    if (found == items.end()) return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

// The index of the item that `value` names.
template <class Item>
std::size_t read_reference(const ConfigValue& value, const std::vector<Item>& items,
                           const std::string& prefix = "") {
    const std::string id = prefix + read_text(value);
    if (const std::optional<std::size_t> found = position_of(items, id)) return *found;
    std::vector<std::string_view> known;
    for (const Item& item : items)
        if (item.id.starts_with(prefix))
            known.push_back(std::string_view(item.id).substr(prefix.size()));
    reject(value, known.empty() ? "an id, but there are none" : listed(known), known);
}

template <class Item>
void refuse_repeated(const ConfigValue& value, const std::vector<Item>& items,
                     const std::string& id) {
    if (position_of(items, id)) refuse(value, "the id " + nestwalk::quoted(id) + " is used twice");
}

std::string read_optional_text(const ConfigFields& fields, std::string_view key) {
    const std::optional<ConfigValue> value = fields.find(key);
    return value ? read_text(*value) : std::string();
}

MeasurementSource read_source(const ConfigValue& value) {
    const ConfigFields fields(value, kSourceKeys);
    return {read_text(fields.require("title")), read_text(fields.require("where")),
            read_unsigned(fields.require("year"), {1970, 2200}),
            read_text(fields.require("author")), read_text(fields.require("message"))};
}

// Without `fitted_to`, which names a figure that is read later.
std::vector<Assumption> read_assumptions(const std::optional<ConfigValue>& list) {
    std::vector<Assumption> assumptions;
    if (!list) return assumptions;
    for (const ConfigValue& item : read_list(*list, "a list of assumptions")) {
        const ConfigFields fields(item, kAssumptionKeys);
        const std::string id = read_id(fields.require("id"));
        refuse_repeated(fields.require("id"), assumptions, id);
        assumptions.push_back({id, read_text(fields.require("about")), {}});
    }
    return assumptions;
}

std::vector<FigureGroup> read_groups(const ConfigValue& list) {
    std::vector<FigureGroup> groups;
    for (const ConfigValue& item : read_list(list, "a list of groups")) {
        const ConfigFields fields(item, kGroupKeys);
        const std::string id = read_id(fields.require("id"));
        refuse_repeated(fields.require("id"), groups, id);
        groups.push_back(
            {id, read_text(fields.require("title")), read_optional_text(fields, "remainder")});
    }
    return groups;
}

void read_figure(const ConfigValue& item, Measurement& measurement) {
    const ConfigFields fields(item, kFigureKeys);
    const std::string run = measurement.runs.back().id + "/";
    MeasuredFigure figure{};
    figure.id = run + read_id(fields.require("id"));
    refuse_repeated(fields.require("id"), measurement.figures, figure.id);
    figure.run = measurement.runs.size() - 1;
    figure.group = read_reference(fields.require("group"), measurement.groups);
    figure.measured = read_unsigned(fields.require("measured"));
    figure.role = read_word(fields.require("role"), kFigureRoleWords);
    figure.reason = read_optional_text(fields, "reason");
    if (const auto cause = fields.find("cause")) figure.cause = read_word(*cause, kErrorCauseWords);
    if (const auto share_of = fields.find("share_of")) {
        figure.share_of = read_reference(*share_of, measurement.figures, run);
        if (measurement.figures[*figure.share_of].measured == 0)
            refuse(*share_of, "is 0, so nothing can be a share of it");
    }
    if (figure.role == FigureRole::kNotModelled) {
        if (figure.reason.empty()) refuse(item, "not modelled needs a 'reason'");
    } else {
        const ConfigValue phase = fields.require("phase");
        figure.phase = read_text(phase);
        figure.phase_location = phase.node->location;
        if (measurement.runs.back().experiment.empty())
            refuse(item, "only figures that are not modelled can do without an 'experiment'");
        if (!figure.reason.empty()) refuse(item, "'reason' goes with the role 'not modelled'");
    }
    measurement.figures.push_back(std::move(figure));
}

Override machine_override(const ConfigValue& machine) {
    return {{"machine"}, *machine.node, machine.node->location};
}

void read_run(const ConfigValue& item, const ConfigValue& machine, const std::string& base,
              Measurement& measurement) {
    const ConfigFields fields(item, kRunKeys);
    MeasuredRun run{};
    run.id = read_id(fields.require("id"));
    refuse_repeated(fields.require("id"), measurement.runs, run.id);
    if (const auto experiment = fields.find("experiment"))
        run.experiment = (fs::path(base) / read_text(*experiment)).lexically_normal().string();
    run.overrides.push_back(machine_override(machine));
    if (const auto set = fields.find("set")) {
        const std::vector<Override> changes = overrides_of(*set->node);
        run.overrides.insert(run.overrides.end(), changes.begin(), changes.end());
    }
    if (const auto names = fields.find("assumptions"))
        for (const ConfigValue& name : read_list(*names, "a list of assumptions"))
            run.assumptions.push_back(read_reference(name, measurement.assumptions));
    measurement.runs.push_back(std::move(run));
    for (const ConfigValue& figure : read_list(fields.require("figures"), "a list of figures"))
        read_figure(figure, measurement);
}

bool uses(const MeasuredRun& run, std::size_t assumption) {
    return std::count(run.assumptions.begin(), run.assumptions.end(), assumption) != 0;
}

// A figure is calibrated if and only if a constant that its prediction uses was fitted to it.
void read_fits(const std::optional<ConfigValue>& list, Measurement& measurement) {
    std::vector<std::size_t> fitted;
    const std::vector<ConfigValue> items =
        list ? read_list(*list, "a list of assumptions") : std::vector<ConfigValue>();
    for (std::size_t at = 0; at < items.size(); ++at) {
        const auto fitted_to = ConfigFields(items[at], kAssumptionKeys).find("fitted_to");
        if (!fitted_to) continue;
        const std::size_t figure = read_reference(*fitted_to, measurement.figures);
        if (measurement.figures[figure].role != FigureRole::kCalibrated)
            refuse(*fitted_to, nestwalk::quoted(measurement.figures[figure].id) +
                                   " is fitted to, so its " + "role must be 'calibrated'");
        if (!uses(measurement.runs[measurement.figures[figure].run], at))
            refuse(*fitted_to, "the run of " + nestwalk::quoted(measurement.figures[figure].id) +
                                   " does not have this among its assumptions");
        if (std::count(fitted.begin(), fitted.end(), figure) != 0)
            refuse(*fitted_to, "another factor is fitted to the same figure");
        measurement.assumptions[at].fitted_to = figure;
        fitted.push_back(figure);
    }
    for (std::size_t at = 0; at < measurement.figures.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.role == FigureRole::kCalibrated &&
            std::count(fitted.begin(), fitted.end(), at) == 0)
            throw InputError(figure.phase_location,
                             nestwalk::quoted(figure.id) + " has the role " +
                                 "'calibrated', but nothing is fitted_to it");
    }
}

std::map<std::string, std::string> measurement_files() {
    std::map<std::string, std::string> files;
    for (const fs::path& directory : config_directories()) {
        std::error_code error;
        for (fs::directory_iterator entry(directory / "validation", error), end;
             !error && entry != end; entry.increment(error))
            if (entry->path().extension() == ".yaml")
                files.emplace(entry->path().stem().string(), entry->path().string());
    }
    return files;
}

}  // namespace

std::vector<std::string> measurement_ids() {
    std::vector<std::string> ids;
    for (const auto& [id, file] : measurement_files()) ids.push_back(id);
    return ids;
}

Measurement find_measurement(const std::string& id) {
    const std::map<std::string, std::string> files = measurement_files();
    const auto found = files.find(id);
    if (found == files.end()) {
        std::vector<std::string_view> known;
        for (const auto& [known_id, file] : files) known.push_back(known_id);
        throw InputError({"nestwalk validate", 0, 0},
                         fault("unknown measurement", id, listed(known)) + suggestion(id, known));
    }
    const ConfigNode document = read_yaml_file(found->second);
    Measurement measurement =
        read_measurement(document, fs::path(found->second).parent_path().string());
    if (measurement.id != id)
        throw InputError(
            document.find("id")->location,
            fault("id", measurement.id, "the name of the file, " + nestwalk::quoted(id)));
    return measurement;
}

Measurement read_measurement(const ConfigNode& document, const std::string& base) {
    const ConfigFields fields({&document, ""}, kMeasurementKeys);
    Measurement measurement{};
    measurement.id = read_id(fields.require("id"));
    measurement.title = read_text(fields.require("title"));
    measurement.unit = read_text(fields.require("unit"));
    const ConfigValue statistic = fields.require("statistic");
    measurement.statistic = read_text(statistic);
    if (counters_named(measurement.statistic).empty())
        reject(statistic, "a statistic of `nestwalk run`, or the beginning of several");
    measurement.jitter = read_unsigned(fields.require("jitter"));
    measurement.source = read_source(fields.require("source"));
    const ConfigValue machine = fields.require("machine");
    measurement.machine = read_text(machine);
    measurement.assumptions = read_assumptions(fields.find("assumptions"));
    measurement.groups = read_groups(fields.require("groups"));
    for (const ConfigValue& run : read_list(fields.require("runs"), "a list of runs"))
        read_run(run, machine, base, measurement);
    read_fits(fields.find("assumptions"), measurement);
    return measurement;
}

}  // namespace nestwalk
