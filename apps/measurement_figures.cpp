#include "apps/measurement_figures.h"
#include "apps/measurement_fields.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 15> kFigureKeys{
    "id", "group", "role", "measured", "phase", "less",     "statistic", "per",
    "of", "key",   "lock", "reason",   "cause", "share_of", "x"};

void refuse_key(const ConfigFields& fields, std::string_view key, const std::string& belongs) {
    if (const auto value = fields.find(key))
        refuse(*value, nestwalk::quoted(key) + " goes with " + belongs);
}

void read_statistic_key(const ConfigFields& fields, const std::optional<ConfigValue>& inherited,
                        MeasuredFigure& figure) {
    std::optional<ConfigValue> statistic = fields.find("statistic");
    if (!statistic) statistic = inherited;
    if (!statistic)
        refuse(fields.map(), "the key 'statistic' is missing, here, in the run and at the top");
    figure.statistic = read_statistic(*statistic);
    figure.statistic_location = statistic->node->location;
}

void read_counted(const ConfigFields& fields, const std::optional<ConfigValue>& statistic,
                  MeasuredFigure& figure) {
    const ConfigValue phase = fields.require("phase");
    figure.phase = read_text(phase);
    figure.phase_location = phase.node->location;
    if (const auto less = fields.find("less")) {
        figure.less = read_text(*less);
        figure.less_location = less->node->location;
    }
    read_statistic_key(fields, statistic, figure);
    if (const auto per = fields.find("per")) figure.per = read_unsigned(*per, {.least = 1});
}

void read_operands(const ConfigFields& fields, const std::string& run,
                   const Measurement& measurement, MeasuredFigure& figure) {
    const ConfigValue list = fields.require("of");
    for (const ConfigValue& item : read_list(list, "a list of earlier figures of the run")) {
        figure.of.push_back(read_reference(item, measurement.figures, run));
        if (measurement.figures[figure.of.back()].role == FigureRole::kNotModelled)
            refuse(item, "is not modelled, so nothing can be derived from it");
        if (measurement.figures[figure.of.back()].role == FigureRole::kPredictedBand)
            refuse(item, "is predicted as a band, so no number can be derived from it");
    }
    if (figure.of.size() < 2)
        refuse(list, "expected at least two figures: the first, less the others");
}

void read_key(const ConfigFields& fields, MeasuredFigure& figure) {
    const std::optional<ConfigValue> key = fields.find("key");
    if (!key) return;
    for (const std::string_view other : {"phase", "lock"})
        if (const auto value = fields.find(other))
            refuse(*value, "an input has a 'phase', a 'key' or a 'lock', and only one of them");
    figure.key = split_key(read_text(*key), key->node->location);
}

// Whether a lock's queue says what the figure is.
bool read_lock(const ConfigFields& fields, MeasuredFigure& figure) {
    const std::optional<ConfigValue> lock = fields.find("lock");
    if (!lock) {
        if (figure.role == FigureRole::kPredictedBand)
            refuse(fields.map(), "a band is what a 'lock' predicts, and this figure has none");
        return false;
    }
    if (figure.role != FigureRole::kInput && figure.role != FigureRole::kCalibrated &&
        figure.role != FigureRole::kPredictedBand)
        refuse(*lock, "'lock' goes with the roles 'input', 'calibrated' and 'predicted (band)'");
    figure.lock = read_id(*lock);
    return true;
}

void read_share(const ConfigFields& fields, const std::string& run, const Measurement& measurement,
                MeasuredFigure& figure) {
    const std::optional<ConfigValue> share_of = fields.find("share_of");
    if (!share_of) return;
    figure.share_of = read_reference(*share_of, measurement.figures, run);
    if (figure.role == FigureRole::kPredictedBand ||
        measurement.figures[*figure.share_of].role == FigureRole::kPredictedBand)
        refuse(*share_of, "a band is no number that could be a share of another, or it of that");
    if (measurement.figures[*figure.share_of].measured.value == 0)
        refuse(*share_of, "is 0, so nothing can be a share of it");
}

void read_role(const ConfigFields& fields, const std::optional<ConfigValue>& statistic,
               const std::string& run, const Measurement& measurement, MeasuredFigure& figure) {
    if (figure.role != FigureRole::kDerived) refuse_key(fields, "of", "the role 'derived'");
    if (figure.role != FigureRole::kInput) refuse_key(fields, "key", "the role 'input'");
    if (figure.role != FigureRole::kNotModelled)
        refuse_key(fields, "reason", "the role 'not modelled'");
    if (figure.role == FigureRole::kNotModelled) {
        if (figure.reason.empty()) refuse(fields.map(), "not modelled needs a 'reason'");
    } else if (figure.role == FigureRole::kDerived) {
        read_operands(fields, run, measurement, figure);
    } else {
        if (figure.role == FigureRole::kInput) read_key(fields, figure);
        if (!read_lock(fields, figure) && figure.key.empty())
            read_counted(fields, statistic, figure);
    }
    if (!figure.is_counted())
        for (const std::string_view key : {"phase", "less", "statistic", "per"})
            refuse_key(fields, key, "a figure that is counted in a phase");
}

}  // namespace

void read_figure(const ConfigValue& item, const std::optional<ConfigValue>& statistic,
                 Measurement& measurement) {
    const ConfigFields fields(item, kFigureKeys);
    const std::string run = measurement.runs.back().id + "/";
    MeasuredFigure figure{};
    figure.id = read_new_id(fields, measurement.figures, run);
    figure.location = item.node->location;
    figure.run = measurement.runs.size() - 1;
    figure.group = read_reference(fields.require("group"), measurement.groups);
    figure.measured = read_decimal(fields.require("measured"));
    figure.role = read_word(fields.require("role"), kFigureRoleWords);
    figure.reason = read_optional_text(fields, "reason");
    if (const auto cause = fields.find("cause")) figure.cause = read_word(*cause, kErrorCauseWords);
    if (const auto x = fields.find("x")) figure.x = read_decimal(*x);
    read_share(fields, run, measurement, figure);
    read_role(fields, statistic, run, measurement, figure);
    measurement.figures.push_back(std::move(figure));
}

}  // namespace nestwalk
