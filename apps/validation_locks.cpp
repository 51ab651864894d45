#include "apps/validation_locks.h"
#include "apps/number_format.h"
#include "apps/prediction_error.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"
#include "apps/validation_words.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

constexpr int kShareDecimals = 3;
constexpr double kLongGap = 1000;  // holds, from which on bursts hardly meet

/// A lock with its names and what was measured.
struct Shown {
    const Measurement& measurement;
    const MeasuredLock& lock;
    const LockPrediction& prediction;

    const MeasuredFigure& figure(std::size_t at) const { return measurement.figures[at]; }
    double error_of(double predicted, std::size_t at) const {
        return plain_error(predicted, figure(at).measured.value);
    }
};

std::string share(double value) { return fmt::format("{:.{}f}", value, kShareDecimals); }
std::string time(double value) { return with_thousands(value, 0); }

TextTable new_table(std::size_t left, std::vector<std::string> header) {
    std::vector<Align> columns(header.size(), Align::kRight);
    for (std::size_t at = 0; at < left; ++at) columns[at] = Align::kLeft;
    TextTable table(columns);
    table.add(std::move(header));
    table.add_rule();
    return table;
}

// Both figures of the other run with their errors.
void add_predicted(std::vector<std::string>& row, const Shown& shown,
                   const LockContention& predicted) {
    const LockFigures& figures = shown.lock.predicted;
    row.push_back(share(predicted.blocked_share));
    row.push_back(percent(shown.error_of(predicted.blocked_share, figures.blocked_share), 1));
    row.push_back(time(predicted.mean_block));
    row.push_back(percent(shown.error_of(predicted.mean_block, figures.mean_block), 1));
}

std::string ridge_text(const Shown& shown) {
    const double hold = shown.figure(shown.lock.fitted.hold).measured.value;
    TextTable table = new_table(1, {"hold", "CPUs a burst", "geometric", "gap in holds", "busy",
                                    "blocked", "error", "block, ns", "error"});
    for (const RidgePoint& point : shown.prediction.ridge) {
        const double gap = point.bursts.gap / hold;
        std::vector<std::string> row{
            hold_words(point.bursts.exponential_share),
            fmt::format("{:.2f}", point.bursts.mean_size), share(point.bursts.geometric_share),
            gap > kLongGap ? "no end" : fmt::format("{:.2f}", gap), share(point.busy_share)};
        add_predicted(row, shown, point.predicted);
        table.add(std::move(row));
    }
    const std::string& run = shown.measurement.runs[shown.figure(shown.lock.predicted.hold).run].id;
    return wrapped(fmt::format(
               "{}: bursts that have both {} and {} (hold: the share of holds that are "
               "exponential, "
               "the others being fixed; geometric: the share of bursts whose size is, the others "
               "being equal; busy: of that run), and what they do with the hold of {}",
               shown.lock.id, shown.figure(shown.lock.fitted.blocked_share).id,
               shown.figure(shown.lock.fitted.mean_block).id, run)) +
           table.to_string();
}

std::string band_text(const Shown& shown) {
    const RidgePoint& nearest = shown.prediction.ridge[shown.prediction.nearest];
    const LockFigures& figures = shown.lock.predicted;
    const Band& shares = shown.prediction.blocked_share;
    const Band& blocks = shown.prediction.mean_block;
    return wrapped(fmt::format(
        "So the figures of one run leave a range: {} between {} and {}, {} between {} and {} ns. "
        "Each "
        "range is of one figure by itself. Both figures together are met nowhere on it: bursts of "
        "{:.2f} with a {} hold come nearest, with {} and {}.",
        shown.figure(figures.blocked_share).id, share(shares.low), share(shares.high),
        shown.figure(figures.mean_block).id, time(blocks.low), time(blocks.high),
        nearest.bursts.mean_size, hold_words(nearest.bursts.exponential_share),
        percent(shown.error_of(nearest.predicted.blocked_share, figures.blocked_share), 1),
        percent(shown.error_of(nearest.predicted.mean_block, figures.mean_block), 1)));
}

std::string families_text(const Shown& shown) {
    TextTable table = new_table(
        2, {"requests", "hold", "block, ns", "error", "blocked", "error", "block, ns", "error"});
    const LockFigures& fitted = shown.lock.fitted;
    for (const RequestFamily& family : shown.prediction.families) {
        std::vector<std::string> row{
            family.name, hold_words(family.exponential_share), time(family.fitted.mean_block),
            percent(shown.error_of(family.fitted.mean_block, fitted.mean_block), 1)};
        add_predicted(row, shown, family.predicted);
        table.add(std::move(row));
    }
    return wrapped(fmt::format("{}: other requests, their rate fitted to {} alone. Their block in "
                               "that run, and what they do with the hold of the other one",
                               shown.lock.id, shown.figure(fitted.blocked_share).id)) +
           table.to_string() +
           wrapped(fmt::format("Played event by event, the blocks of the last columns differ by at "
                               "most {:.1f} %.",
                               100 * shown.prediction.simulated_difference));
}

std::string exits_text(const Shown& shown) {
    const ExitCost& cost = shown.prediction.exits;
    if (cost.machines.empty()) return "";
    const MeasuredFigure& with = shown.figure(shown.lock.fitted.hold);
    const MeasuredFigure& without = shown.figure(shown.lock.predicted.hold);
    TextTable table = new_table(
        1, {"machine", "exit and entry, ns", "at the same time", "one after another", "source"});
    for (const ExitCost::OfMachine& machine : cost.machines)
        table.add({machine.name, with_thousands(machine.exit_and_entry, 0),
                   fmt::format("x {:.0f}", cost.together / machine.exit_and_entry),
                   fmt::format("x {:.1f}", cost.in_turn / machine.exit_and_entry),
                   machine.provenance});
    return "\n" +
           wrapped(fmt::format(
               "{}: {} is {} ns longer than {}, with {} a hold. If all {} CPUs exit at the same "
               "time, an exit takes {} ns; if one does after another, {} ns. Of what machine files "
               "say, that is",
               shown.lock.id, with.id, time(with.measured.value - without.measured.value),
               without.id, count_of(shown.lock.exits.count, "exit"), shown.lock.cpus,
               time(cost.together), time(cost.in_turn))) +
           table.to_string();
}

}  // namespace

std::string hold_words(double exponential_share) {
    if (exponential_share == 0) return "fixed";
    if (exponential_share == 1) return "exponential";
    return fmt::format("{:.2f} exponential", exponential_share);
}

std::string locks_assumed(const Measurement& measurement) {
    std::string text;
    for (const MeasuredLock& lock : measurement.locks)
        text += wrapped(
            fmt::format("- {} (two fitted constants: the gap between bursts and the share of "
                        "geometric ones, solved from {} and {} for each size of bursts and each "
                        "kind of hold, which are left open). {}",
                        lock.id, measurement.figures[lock.fitted.blocked_share].id,
                        measurement.figures[lock.fitted.mean_block].id, lock.about),
            2);
    return text;
}

std::string locks_text(const Validation& validation) {
    std::string text;
    for (const LockPrediction& prediction : validation.locks) {
        const Shown shown{validation.measurement, validation.measurement.locks[prediction.lock],
                          prediction};
        text += "\n" + ridge_text(shown) + band_text(shown) + "\n" + families_text(shown) +
                exits_text(shown);
    }
    return text;
}

}  // namespace nestwalk
