#include "apps/hypothesis_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwalk {

namespace {

// A figure that something was fitted to fits under the alternative that was chosen then.
bool tells(const MeasuredFigure& figure) {
    return figure.role == FigureRole::kPredicted || figure.role == FigureRole::kDerived;
}

double factor_off(double predicted, double measured) {
    if (predicted == measured) return 1;
    if (predicted <= 0 || measured <= 0) return std::numeric_limits<double>::infinity();
    return std::max(predicted / measured, measured / predicted);
}

Hypothesis judged(const Measurement& measurement, std::size_t run, Predictions predictions) {
    Hypothesis hypothesis{};
    for (std::size_t at = 0; at < predictions.size(); ++at) {
        const MeasuredFigure& figure = measurement.figures[at];
        if (figure.run != run) {
            predictions[at].reset();
            continue;
        }
        if (!predictions[at] || !tells(figure)) continue;
        const double error = std::abs(predictions[at]->error);
        hypothesis.largest_error = std::max(hypothesis.largest_error, error);
        const double factor = factor_off(predictions[at]->value, figure.measured.value);
        if (factor > hypothesis.largest_factor) {
            hypothesis.largest_factor = factor;
            hypothesis.worst_figure = at;
        }
    }
    hypothesis.predictions = std::move(predictions);
    return hypothesis;
}

}  // namespace

HypothesisTest compare_alternatives(const Measurement& measurement, std::size_t run,
                                    std::vector<Predictions> under) {
    HypothesisTest test{run, {}, 0};
    for (Predictions& predictions : under)
        test.hypotheses.push_back(judged(measurement, run, std::move(predictions)));
    const auto best = std::min_element(test.hypotheses.begin(), test.hypotheses.end(),
                                       [](const Hypothesis& one, const Hypothesis& other) {
                                           return one.largest_error < other.largest_error;
                                       });
    test.best = static_cast<std::size_t>(best - test.hypotheses.begin());
    return test;
}

}  // namespace nestwalk
