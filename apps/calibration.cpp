#include "apps/calibration.h"
#include "apps/latency.h"
#include "apps/prediction.h"
#include "apps/root_search.h"

#include <algorithm>
#include <cmath>
#include <map>
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

/// Predicts figures of one measurement while its constants change; what was run once is kept.
class Trial {
public:
    Trial(const Measurement& measurement, const std::atomic<bool>* stop)
        : measurement_(measurement), stop_(stop) {}

    FittedConstant& constant(std::size_t at) { return measurement_.constants[at]; }
    std::size_t size() const { return measurement_.constants.size(); }

    const MeasuredFigure& figure_of(std::size_t at) const {
        return measurement_.figures[measurement_.constants[at].fitted_to];
    }

    /// Predicted - measured of the constant's figure.
    double residual(std::size_t at) {
        const std::size_t figure = measurement_.constants[at].fitted_to;
        FigureValues values = values_of(measurement_.figures[figure].run);
        for (const Assumption& assumption : measurement_.assumptions)
            if (assumption.fitted_to)
                merge(values, values_of(measurement_.figures[*assumption.fitted_to].run));
        const Factors factors = fit_factors(measurement_, values);
        return predict_figures(measurement_, values, factors)[figure]->difference;
    }

private:
    using Key = std::pair<std::size_t, std::vector<std::int64_t>>;

    const FigureValues& values_of(std::size_t run) {
        Key key{run, {}};
        for (const FittedConstant& each : measurement_.constants)
            if (std::count(each.runs.begin(), each.runs.end(), run) != 0)
                key.second.push_back(each.value.milli);
        const auto found = known_.find(key);
        if (found != known_.end()) return found->second;
        const RunCase run_case = chosen_case(measurement_, run).value();
        FigureValues values =
            figure_values(measurement_, run_case, load_case(measurement_, run_case), stop_);
        return known_.emplace(std::move(key), std::move(values)).first->second;
    }

    Measurement measurement_;
    const std::atomic<bool>* stop_;
    std::map<Key, FigureValues> known_{};
};

// Gives the constant the value that its figure asks for.
Root match(Trial& trial, std::size_t at) {
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
void check(Trial& trial, std::size_t at, const Root& root) {
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

[[noreturn]] void say_unsettled(Trial& trial, std::size_t at, Latency before) {
    const FittedConstant& constant = trial.constant(at);
    throw InputError(constant.written.location,
                     fmt::format("the constants do not settle: after {} rounds {} ({}) still goes "
                                 "from {} to {}; are two of them fitted to figures that say the "
                                 "same?",
                                 kMostRounds, nestwalk::quoted(constant.id), dotted(constant.key),
                                 shown(before), shown(constant.value)));
}

// Rounds over all constants until none moves, or until all figures are met.
void settle(Trial& trial) {
    std::vector<Root> roots(trial.size());
    for (int round = 1;; ++round) {
        std::optional<std::size_t> moved;
        Latency before{};
        for (std::size_t at = 0; at < trial.size(); ++at) {
            const Latency old = trial.constant(at).value;
            roots[at] = match(trial, at);
            const std::int64_t step = std::abs(trial.constant(at).value.milli - old.milli);
            if (step <= (round < kSettlingRounds ? 0 : 1)) continue;
            moved = at;
            before = old;
        }
        for (std::size_t at = 0; at < trial.size(); ++at) roots[at].residual = trial.residual(at);
        if (!moved || all_match(roots)) break;
        if (round == kMostRounds) say_unsettled(trial, *moved, before);
    }
    for (std::size_t at = 0; at < trial.size(); ++at) check(trial, at, roots[at]);
}

}  // namespace

std::vector<Latency> solve_constants(const Measurement& measurement,
                                     const std::atomic<bool>* stop) {
    Trial trial(measurement, stop);
    for (std::size_t at = 0; at < trial.size(); ++at) trial.constant(at).value.milli = 0;
    settle(trial);
    std::vector<Latency> solved;
    for (std::size_t at = 0; at < trial.size(); ++at) solved.push_back(trial.constant(at).value);
    return solved;
}

Latency solve_constant(const Measurement& measurement, std::size_t constant,
                       const std::atomic<bool>* stop) {
    Trial trial(measurement, stop);
    trial.constant(constant).value.milli = 0;
    const Root root = match(trial, constant);
    check(trial, constant, root);
    return trial.constant(constant).value;
}

}  // namespace nestwalk
