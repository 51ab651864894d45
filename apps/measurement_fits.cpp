#include "apps/measurement_fits.h"
#include "apps/latency.h"
#include "apps/measurement_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 8> kConstantKeys{
    "id", "about", "key", "fitted_to", "runs", "value", "alternative_fit", "also_in"};

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

// The figure that `value` names, which must be calibrated and not taken yet.
std::size_t read_fitted_to(const ConfigValue& value, const Measurement& measurement,
                           std::vector<std::size_t>& fitted) {
    const std::size_t at = read_reference(value, measurement.figures);
    const MeasuredFigure& figure = measurement.figures[at];
    const MeasuredRun& run = measurement.runs[figure.run];
    if (figure.role != FigureRole::kCalibrated)
        refuse(value,
               nestwalk::quoted(figure.id) + " is fitted to, so its role must be 'calibrated'");
    if (!run.alternatives.empty() && !run.chosen)
        refuse(value, "the run of " + nestwalk::quoted(figure.id) +
                          " has alternatives and none of them is 'chosen', so nothing can be "
                          "fitted to it");
    if (has(fitted, at)) refuse(value, "something else is fitted to the same figure");
    fitted.push_back(at);
    return at;
}

void read_factors(const std::optional<ConfigValue>& list, Measurement& measurement,
                  std::vector<std::size_t>& fitted) {
    const std::vector<ConfigValue> items = read_optional_list(list, "a list of assumptions");
    for (std::size_t at = 0; at < items.size(); ++at) {
        const ConfigNode* const node = items[at].node->find("fitted_to");
        if (node == nullptr) continue;
        const ConfigValue fitted_to{node, join_path(items[at].path, "fitted_to")};
        const std::size_t figure = read_fitted_to(fitted_to, measurement, fitted);
        const MeasuredFigure& target = measurement.figures[figure];
        if (!has(measurement.runs[target.run].assumptions, at))
            refuse(fitted_to, "the run of " + nestwalk::quoted(target.id) +
                                  " does not have this among its assumptions");
        measurement.assumptions[at].fitted_to = figure;
    }
}

// A run has one value for one key.
void check_run(const ConfigValue& name, const Measurement& measurement, std::size_t run,
               const FittedConstant& constant) {
    if (has(constant.runs, run)) refuse(name, "this run is named twice");
    for (const Override& change : measurement.runs[run].overrides)
        if (change.path == constant.key)
            refuse(name, "this run sets " + nestwalk::quoted(dotted(constant.key)) + " itself");
    for (const FittedConstant& other : measurement.constants)
        if (other.key == constant.key && has(other.runs, run))
            refuse(name, nestwalk::quoted(other.id) + " gives " +
                             nestwalk::quoted(dotted(constant.key)) +
                             " a value in this run already");
}

std::optional<std::size_t> read_alternative_fit(const ConfigFields& fields,
                                                const Measurement& measurement,
                                                const FittedConstant& constant) {
    const std::optional<ConfigValue> value = fields.find("alternative_fit");
    if (!value) return std::nullopt;
    const std::size_t at = read_reference(*value, measurement.figures);
    const MeasuredFigure& figure = measurement.figures[at];
    const MeasuredRun& run = measurement.runs[figure.run];
    if (at == constant.fitted_to) refuse(*value, "is what the constant is fitted to already");
    if (!figure.is_counted() && figure.of.empty())
        refuse(*value, "the model does not predict " + nestwalk::quoted(figure.id));
    if (!run.alternatives.empty() && !run.chosen)
        refuse(*value,
               "the run of " + nestwalk::quoted(figure.id) + " has no 'chosen' alternative");
    return at;
}

FittedConstant read_constant(const ConfigValue& item, const Measurement& measurement,
                             std::vector<std::size_t>& fitted) {
    const ConfigFields fields(item, kConstantKeys);
    FittedConstant constant{};
    constant.id = read_new_id(fields, measurement.constants);
    if (position_of(measurement.assumptions, constant.id))
        refuse(fields.require("id"), "an assumption has the same id");
    constant.about = read_text(fields.require("about"));
    const ConfigValue key = fields.require("key");
    constant.key = split_key(read_text(key), key.node->location);
    const ConfigValue value = fields.require("value");
    constant.value = read_latency(value);
    constant.written = *value.node;
    const ConfigValue fitted_to = fields.require("fitted_to");
    constant.fitted_to = read_fitted_to(fitted_to, measurement, fitted);
    for (const ConfigValue& name : read_list(fields.require("runs"), "a list of runs")) {
        const std::size_t run = read_reference(name, measurement.runs);
        check_run(name, measurement, run, constant);
        constant.runs.push_back(run);
    }
    const MeasuredFigure& figure = measurement.figures[constant.fitted_to];
    if (!has(constant.runs, figure.run))
        refuse(fitted_to,
               "the run of " + nestwalk::quoted(figure.id) + " is not among the constant's runs");
    constant.alternative_fit = read_alternative_fit(fields, measurement, constant);
    if (const auto also_in = fields.find("also_in")) {
        constant.also_in = read_text(*also_in);
        constant.also_in_location = also_in->node->location;
    }
    return constant;
}

}  // namespace

void read_fits(const std::optional<ConfigValue>& assumptions,
               const std::optional<ConfigValue>& constants, Measurement& measurement) {
    std::vector<std::size_t> fitted;
    for (const MeasuredLock& lock : measurement.locks)
        fitted.insert(fitted.end(), {lock.fitted.blocked_share, lock.fitted.mean_block});
    read_factors(assumptions, measurement, fitted);
    for (const ConfigValue& item : read_optional_list(constants, "a list of constants"))
        measurement.constants.push_back(read_constant(item, measurement, fitted));
    for (std::size_t at = 0; at < measurement.figures.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.role == FigureRole::kCalibrated && !has(fitted, at))
            throw InputError(figure.location, nestwalk::quoted(figure.id) +
                                                  " has the role 'calibrated', but nothing is "
                                                  "fitted_to it");
    }
}

}  // namespace nestwalk
