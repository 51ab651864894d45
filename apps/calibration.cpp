#include "apps/calibration.h"
#include "apps/constant_trial.h"
#include "apps/latency.h"
#include "apps/memory_reuse.h"
#include "apps/parallel.h"
#include "apps/root_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::int64_t kMostMilli = kMostLatency * 1000;
constexpr int kMostRounds = 100;
/// From here on a constant that only goes back and forth by one thousandth counts as settled.
constexpr int kSettlingRounds = 20;
constexpr double kTolerance = 0.0005;  // in the figure's unit

std::string shown(Latency latency) { return latency_node(latency).text; }

// Gives the constant the value that its figure asks for.
Root match(ConstantTrial& trial, std::size_t at) {
    FittedConstant& constant = trial.constant(at);
    const RootSearch search{[&](std::int64_t milli) {
                                constant.value.milli = milli;
                                return trial.residual(at);
                            },
                            kMostMilli};
    const Root root = find_root(search, constant.value.milli);
    constant.value.milli = root.at;
    return root;
}

// Throws InputError unless the constant has a value that its figure asks for.
void check(ConstantTrial& trial, std::size_t at, const Root& root) {
    if (root.kind == RootKind::kFound) return;
    const FittedConstant& constant = trial.constant(at);
    const MeasuredFigure& figure = trial.figure_of(at);
    const std::string what =
        fmt::format("the constant {} ({})", nestwalk::quoted(constant.id), dotted(constant.key));
    const std::string measured = fmt::format("the model says {:.3f} for {} where {} was measured",
                                             figure.measured.value + root.residual,
                                             nestwalk::quoted(figure.id), to_text(figure.measured));
    switch (root.kind) {
        case RootKind::kFound:
            return;
        case RootKind::kBelow:
            throw InputError(constant.written.location,
                             what + " would have to be negative: already at 0 " + measured);
        case RootKind::kAbove:
            throw InputError(constant.written.location, what + " would have to be above " +
                                                            std::to_string(kMostLatency) +
                                                            ": there " + measured);
        case RootKind::kInsensitive:
            throw InputError(constant.written.location,
                             what + " does not matter to its figure: with any value " + measured);
    }
}

bool all_match(const std::vector<Root>& roots) {
    return std::all_of(roots.begin(), roots.end(),
                       [](const Root& root) { return std::abs(root.residual) < kTolerance; });
}

[[noreturn]] void say_unsettled(ConstantTrial& trial, std::size_t at, Latency before) {
    const FittedConstant& constant = trial.constant(at);
    throw InputError(constant.written.location,
                     fmt::format("the constants do not settle: after {} rounds {} ({}) still goes "
                                 "from {} to {}; are two of them fitted to figures that say the "
                                 "same?",
                                 kMostRounds, nestwalk::quoted(constant.id), dotted(constant.key),
                                 shown(before), shown(constant.value)));
}

using Values = std::vector<std::int64_t>;

Values values_of(ConstantTrial& trial, const std::vector<std::size_t>& constants) {
    Values values;
    for (const std::size_t at : constants) values.push_back(trial.constant(at).value.milli);
    return values;
}

// Where three values that come closer by the same factor each time are going (Aitken); the last one
// if they do not.
std::int64_t limit_of(std::int64_t first, std::int64_t second, std::int64_t third) {
    const auto step = static_cast<double>(second - first);
    const auto next = static_cast<double>(third - second);
    if (std::abs(next) >= std::abs(step)) return third;
    const double limit = static_cast<double>(third) + next * next / (step - next);
    return std::clamp<std::int64_t>(std::llround(limit), 0, kMostMilli);
}

// Rounds over the constants until none moves, or until all figures are met. Every third round
// begins where the two before it are going, which saves many: rounds alone come closer by a
// constant factor.
void settle(ConstantTrial& trial, const std::vector<std::size_t>& constants) {
    std::vector<Root> roots(constants.size());
    std::vector<Values> history{values_of(trial, constants)};
    for (int round = 1;; ++round) {
        std::optional<std::size_t> moved;
        Latency before{};
        for (std::size_t at = 0; at < constants.size(); ++at) {
            FittedConstant& constant = trial.constant(constants[at]);
            const Latency old = constant.value;
            roots[at] = match(trial, constants[at]);
            const std::int64_t step = std::abs(constant.value.milli - old.milli);
            if (step <= (round < kSettlingRounds ? 0 : 1)) continue;
            moved = constants[at];
            before = old;
        }
        for (std::size_t at = 0; at < constants.size(); ++at)
            roots[at].residual = trial.residual(constants[at]);
        if (!moved || all_match(roots)) break;
        if (round == kMostRounds) say_unsettled(trial, *moved, before);
        history.push_back(values_of(trial, constants));
        if (history.size() < 4) continue;
        for (std::size_t at = 0; at < constants.size(); ++at)
            trial.constant(constants[at]).value.milli =
                limit_of(history[1][at], history[2][at], history[3][at]);
        history = {values_of(trial, constants)};
    }
    for (std::size_t at = 0; at < constants.size(); ++at) check(trial, constants[at], roots[at]);
}

// Whether the one constant is the machine's value in a run that the other's figure is predicted
// from.
bool matters(const Measurement& measurement, const FittedConstant& one,
             const FittedConstant& other) {
    std::vector<std::size_t> figures{other.fitted_to};
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to) figures.push_back(*assumption.fitted_to);
    return std::any_of(figures.begin(), figures.end(), [&](std::size_t figure) {
        const std::size_t run = measurement.figures[figure].run;
        return std::find(one.runs.begin(), one.runs.end(), run) != one.runs.end();
    });
}

// Constants that have to be solved for together, as those of one machine.
std::vector<std::vector<std::size_t>> related(const Measurement& measurement) {
    const std::vector<FittedConstant>& constants = measurement.constants;
    std::vector<std::vector<std::size_t>> sets;
    for (std::size_t at = 0; at < constants.size(); ++at) {
        std::vector<std::size_t> joined;
        std::vector<std::vector<std::size_t>> apart;
        for (std::vector<std::size_t>& set : sets) {
            const bool relates = std::any_of(set.begin(), set.end(), [&](std::size_t other) {
                return matters(measurement, constants[at], constants[other]) ||
                       matters(measurement, constants[other], constants[at]);
            });
            if (relates)
                joined.insert(joined.end(), set.begin(), set.end());
            else
                apart.push_back(std::move(set));
        }
        joined.push_back(at);
        apart.push_back(std::move(joined));
        sets = std::move(apart);
    }
    return sets;
}

}  // namespace

std::vector<Latency> solve_constants(const Measurement& measurement, std::size_t threads,
                                     const std::atomic<bool>* stop) {
    reuse_freed_memory();
    std::vector<Latency> solved(measurement.constants.size());
    const std::vector<std::vector<std::size_t>> sets = related(measurement);
    for_each_index(sets.size(), threads, [&](std::size_t set) {
        ConstantTrial trial(measurement, stop);
        for (const std::size_t at : sets[set]) trial.constant(at).value.milli = 0;
        settle(trial, sets[set]);
        for (const std::size_t at : sets[set]) solved[at] = trial.constant(at).value;
    });
    return solved;
}

Latency solve_constant(const Measurement& measurement, std::size_t constant,
                       const std::atomic<bool>* stop) {
    ConstantTrial trial(measurement, stop);
    trial.constant(constant).value.milli = 0;
    const Root root = match(trial, constant);
    check(trial, constant, root);
    return trial.constant(constant).value;
}

}  // namespace nestwalk
