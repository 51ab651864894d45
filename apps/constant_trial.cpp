#include "apps/constant_trial.h"
#include "apps/prediction.h"

#include <algorithm>

namespace nestwalk {

double ConstantTrial::residual(std::size_t at) {
    const std::size_t figure = measurement_.constants[at].fitted_to;
    FigureValues values = values_of(measurement_.figures[figure].run);
    for (const Assumption& assumption : measurement_.assumptions)
        if (assumption.fitted_to)
            merge(values, values_of(measurement_.figures[*assumption.fitted_to].run));
    const Factors factors = fit_factors(measurement_, values);
    return predict_figures(measurement_, values, factors)[figure]->difference;
}

const FigureValues& ConstantTrial::values_of(std::size_t run) {
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

}  // namespace nestwalk
