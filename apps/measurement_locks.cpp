#include "apps/measurement_locks.h"
#include "apps/measurement_fields.h"

#include <array>
#include <string>
#include <string_view>

namespace nestwalk {

namespace {

constexpr std::array<std::string_view, 6> kLockKeys{"id",        "about",    "cpus",
                                                    "fitted_to", "predicts", "exits"};
constexpr std::array<std::string_view, 3> kPartKeys{"hold", "blocked_share", "mean_block"};
constexpr std::array<std::string_view, 2> kExitKeys{"count", "machines"};

std::size_t read_part(const ConfigValue& value, const Measurement& measurement,
                      const MeasuredLock& lock, FigureRole role) {
    const std::size_t at = read_reference(value, measurement.figures);
    const MeasuredFigure& figure = measurement.figures[at];
    if (figure.lock != lock.id)
        refuse(value, nestwalk::quoted(figure.id) + " does not say 'lock: " + lock.id + "'");
    if (figure.role != role)
        refuse(value, "the role of " + nestwalk::quoted(figure.id) + " must be " +
                          nestwalk::quoted(std::string(word_for(role, kFigureRoleWords))));
    if (!measurement.runs[figure.run].alternatives.empty())
        refuse(value, "the run of " + nestwalk::quoted(figure.id) +
                          " has alternatives, which make no difference to a lock");
    return at;
}

void check_time(const ConfigValue& value, const Measurement& measurement, std::size_t at) {
    const MeasuredFigure& figure = measurement.figures[at];
    if (measurement.groups[figure.group].unit != "ns")
        refuse(value, nestwalk::quoted(figure.id) + " is a time, so its unit must be ns");
    if (figure.measured.value == 0)
        refuse(value, nestwalk::quoted(figure.id) + " is 0, expected a time");
}

LockFigures read_parts(const ConfigValue& value, const Measurement& measurement,
                       const MeasuredLock& lock, FigureRole outcome) {
    const ConfigFields fields(value, kPartKeys);
    const ConfigValue hold = fields.require("hold");
    const ConfigValue share = fields.require("blocked_share");
    const ConfigValue block = fields.require("mean_block");
    LockFigures figures{};
    figures.hold = read_part(hold, measurement, lock, FigureRole::kInput);
    figures.blocked_share = read_part(share, measurement, lock, outcome);
    figures.mean_block = read_part(block, measurement, lock, outcome);
    check_time(hold, measurement, figures.hold);
    check_time(block, measurement, figures.mean_block);
    const MeasuredFigure& blocked = measurement.figures[figures.blocked_share];
    if (blocked.measured.value <= 0 || blocked.measured.value >= 1)
        refuse(share, nestwalk::quoted(blocked.id) + " is " + to_text(blocked.measured) +
                          ", expected a share between 0 and 1");
    return figures;
}

LockExits read_exits(const ConfigValue& value) {
    const ConfigFields fields(value, kExitKeys);
    LockExits exits{};
    exits.count = read_unsigned(fields.require("count"), {.least = 1, .most = 1'000'000});
    for (const ConfigValue& name : read_list(fields.require("machines"), "a list of machines")) {
        exits.machines.push_back(read_text(name));
        exits.locations.push_back(name.node->location);
    }
    return exits;
}

MeasuredLock read_lock(const ConfigValue& item, const Measurement& measurement) {
    constexpr UnsignedRange kCpus{2, 256};
    const ConfigFields fields(item, kLockKeys);
    MeasuredLock lock{};
    lock.id = read_new_id(fields, measurement.locks);
    lock.location = item.node->location;
    lock.about = read_text(fields.require("about"));
    lock.cpus = read_unsigned(fields.require("cpus"), kCpus);
    lock.fitted =
        read_parts(fields.require("fitted_to"), measurement, lock, FigureRole::kCalibrated);
    lock.predicted =
        read_parts(fields.require("predicts"), measurement, lock, FigureRole::kPredictedBand);
    if (const auto exits = fields.find("exits")) {
        lock.exits = read_exits(*exits);
        const MeasuredFigure& with = measurement.figures[lock.fitted.hold];
        const MeasuredFigure& without = measurement.figures[lock.predicted.hold];
        if (with.measured.value <= without.measured.value)
            refuse(*exits, nestwalk::quoted(with.id) + " is no longer than " +
                               nestwalk::quoted(without.id) + ", so exits explain nothing");
    }
    return lock;
}

}  // namespace

bool MeasuredLock::has(std::size_t figure) const {
    for (const LockFigures& figures : {fitted, predicted})
        if (figure == figures.hold || figure == figures.blocked_share ||
            figure == figures.mean_block)
            return true;
    return false;
}

void read_locks(const std::optional<ConfigValue>& list, Measurement& measurement) {
    for (const ConfigValue& item : read_optional_list(list, "a list of locks"))
        measurement.locks.push_back(read_lock(item, measurement));
    for (std::size_t at = 0; at < measurement.figures.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.lock.empty()) continue;
        const std::optional<std::size_t> lock = position_of(measurement.locks, figure.lock);
        if (!lock || !measurement.locks[*lock].has(at))
            throw InputError(figure.location, "no lock " + nestwalk::quoted(figure.lock) +
                                                  " names the figure " +
                                                  nestwalk::quoted(figure.id));
    }
}

}  // namespace nestwalk
