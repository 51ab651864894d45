#include "apps/measurement_file.h"
#include "apps/config_path.h"
#include "apps/measurement_curves.h"
#include "apps/measurement_fields.h"
#include "apps/measurement_fits.h"
#include "apps/measurement_locks.h"
#include "apps/measurement_runs.h"
#include "apps/yaml_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 13> kMeasurementKeys{
    "id",          "title",     "unit",   "statistic", "jitter", "source", "machine",
    "assumptions", "constants", "groups", "runs",      "locks",  "curves"};
constexpr std::array<std::string_view, 3> kAssumptionKeys{"id", "fitted_to", "about"};
constexpr std::array<std::string_view, 7> kGroupKeys{"id",    "title",  "unit",     "jitter",
                                                     "judge", "source", "remainder"};

// Without `fitted_to`, which names a figure that is read later.
std::vector<Assumption> read_assumptions(const std::optional<ConfigValue>& list) {
    std::vector<Assumption> assumptions;
    for (const ConfigValue& item : read_optional_list(list, "a list of assumptions")) {
        const ConfigFields fields(item, kAssumptionKeys);
        const std::string id = read_new_id(fields, assumptions);
        assumptions.push_back({id, read_text(fields.require("about")), {}});
    }
    return assumptions;
}

// The group's own value for the key or, where it has none, the one at the top.
ConfigValue own_or_top(const ConfigFields& group, const ConfigFields& top, std::string_view key) {
    if (const std::optional<ConfigValue> value = group.find(key)) return *value;
    if (const std::optional<ConfigValue> value = top.find(key)) return *value;
    refuse(group.map(), "the key " + nestwalk::quoted(key) + " is missing, here and at the top");
}

FigureGroup read_group(const ConfigFields& fields, const ConfigFields& top,
                       const std::vector<FigureGroup>& earlier) {
    FigureGroup group{};
    group.id = read_new_id(fields, earlier);
    group.title = read_text(fields.require("title"));
    group.unit = read_text(own_or_top(fields, top, "unit"));
    group.jitter = read_decimal(own_or_top(fields, top, "jitter"));
    if (const auto judge = fields.find("judge")) group.scale = read_word(*judge, kErrorScaleWords);
    if (const auto source = fields.find("source"))
        group.source = read_source(*source);
    else
        top.require("source");
    group.remainder = read_optional_text(fields, "remainder");
    return group;
}

std::vector<FigureGroup> read_groups(const ConfigFields& top) {
    std::vector<FigureGroup> groups;
    for (const ConfigValue& item : read_list(top.require("groups"), "a list of groups"))
        groups.push_back(read_group(ConfigFields(item, kGroupKeys), top, groups));
    return groups;
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
        throw InputError({"nestwalk", 0, 0},
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

std::vector<Measurement> find_measurements(const std::vector<std::string>& ids) {
    std::vector<Measurement> measurements;
    for (const std::string& id : ids.empty() ? measurement_ids() : ids)
        if (!position_of(measurements, id)) measurements.push_back(find_measurement(id));
    if (measurements.empty())
        throw InputError({"nestwalk", 0, 0},
                         "no measurements in the validation folders of the configurations");
    return measurements;
}

Measurement read_measurement(const ConfigNode& document, const std::string& base) {
    const ConfigFields fields({&document, ""}, kMeasurementKeys);
    Measurement measurement{};
    measurement.id = read_id(fields.require("id"));
    measurement.title = read_text(fields.require("title"));
    const RunDefaults defaults{fields.find("machine"), fields.find("statistic"), base};
    if (defaults.statistic) read_statistic(*defaults.statistic);
    if (const auto source = fields.find("source")) measurement.source = read_source(*source);
    measurement.assumptions = read_assumptions(fields.find("assumptions"));
    measurement.groups = read_groups(fields);
    read_runs(fields.require("runs"), defaults, measurement);
    read_locks(fields.find("locks"), measurement);
    read_curves(fields.find("curves"), base, measurement);
    read_fits(fields.find("assumptions"), fields.find("constants"), measurement);
    return measurement;
}

}  // namespace nestwalk
