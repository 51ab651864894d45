#include "apps/leave_one_out.h"
#include "apps/calibration.h"
#include "apps/prediction.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nestwalk {

namespace {

// The measurement with the constant fitted to its alternative figure, in whose run it takes the
// place of any other with the same key.
Measurement fitted_elsewhere(const Measurement& measurement, std::size_t constant) {
    Measurement other = measurement;
    FittedConstant& moved = other.constants[constant];
    moved.fitted_to = *moved.alternative_fit;
    const std::size_t run = other.figures[moved.fitted_to].run;
    for (FittedConstant& each : other.constants)
        if (each.key == moved.key) std::erase(each.runs, run);
    moved.runs.push_back(run);
    return other;
}

// The values of all figures of these runs, and of those that factors are fitted to.
FigureValues values_of(const Measurement& measurement, std::vector<std::size_t> runs,
                       const std::atomic<bool>* stop) {
    for (const Assumption& assumption : measurement.assumptions)
        if (assumption.fitted_to) runs.push_back(measurement.figures[*assumption.fitted_to].run);
    std::sort(runs.begin(), runs.end());
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    FigureValues values(measurement.figures.size());
    for (const std::size_t run : runs)
        if (const std::optional<RunCase> run_case = chosen_case(measurement, run))
            merge(values,
                  figure_values(measurement, *run_case, load_case(measurement, *run_case), stop));
    return values;
}

}  // namespace

LeaveOneOut leave_one_out(const Measurement& measurement, std::size_t constant,
                          const std::atomic<bool>* stop) {
    Measurement other = fitted_elsewhere(measurement, constant);
    FittedConstant& moved = other.constants[constant];
    moved.value = solve_constant(other, constant, stop);

    const FittedConstant& own = measurement.constants[constant];
    std::vector<std::size_t> runs = own.runs;
    std::erase(runs, other.figures[moved.fitted_to].run);
    const FigureValues values = values_of(other, runs, stop);
    const Predictions predictions = predict_figures(other, values, fit_factors(other, values));
    std::vector<double> errors;
    for (std::size_t at = 0; at < predictions.size(); ++at) {
        const MeasuredFigure& figure = other.figures[at];
        if (std::count(runs.begin(), runs.end(), figure.run) == 0 || !predictions[at]) continue;
        if (figure.role == FigureRole::kPredicted || at == own.fitted_to)
            errors.push_back(predictions[at]->error);
    }
    return {constant, moved.value, summarize(std::move(errors))};
}

}  // namespace nestwalk
