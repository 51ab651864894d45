#include "apps/validation.h"
#include "apps/memory_reuse.h"
#include "apps/parallel.h"

#include <algorithm>
#include <utility>

namespace nestwalk {

namespace {

ErrorSummary summarize_group(const Validation& validation, std::size_t group) {
    std::vector<double> errors;
    for (std::size_t at = 0; at < validation.predictions.size(); ++at) {
        const MeasuredFigure& figure = validation.measurement.figures[at];
        const std::optional<FigurePrediction>& prediction = validation.predictions[at];
        if (figure.group == group && figure.role == FigureRole::kPredicted && prediction)
            errors.push_back(scaled_error(validation.measurement.groups[group], *prediction));
    }
    return summarize(std::move(errors));
}

/// One experiment to run, and what it gave.
struct Job {
    std::size_t measurement{};
    std::size_t at{};  ///< of the measurement's experiments
    FigureValues values{};
};

/// One constant to solve for from another machine's figure.
struct Solve {
    std::size_t measurement{};
    std::size_t constant{};
    LeaveOneOut result{};
};

std::vector<CaseExperiment> load_cases(const Measurement& measurement) {
    std::vector<CaseExperiment> cases;
    for (const RunCase& run_case : run_cases(measurement))
        cases.push_back({run_case, load_case(measurement, run_case)});
    return cases;
}

// Everything but what is left out, from the jobs of one measurement.
Validation compared(const Measurement& measurement, std::vector<CaseExperiment> cases,
                    const std::vector<const FigureValues*>& values) {
    FigureValues chosen(measurement.figures.size());
    for (std::size_t at = 0; at < cases.size(); ++at)
        if (cases[at].run_case.alternative == measurement.runs[cases[at].run_case.run].chosen)
            merge(chosen, *values[at]);
    Validation validation = predict(measurement, chosen);
    for (std::size_t at = 0; at < cases.size();) {
        const std::size_t run = cases[at].run_case.run;
        const std::size_t alternatives = measurement.runs[run].alternatives.size();
        std::vector<Predictions> under;
        for (std::size_t end = at + std::max<std::size_t>(alternatives, 1); at < end; ++at)
            under.push_back(predict_figures(measurement, *values[at], validation.factors));
        if (alternatives > 0)
            validation.hypothesis_tests.push_back(
                compare_alternatives(measurement, run, std::move(under)));
    }
    validation.experiments = std::move(cases);
    return validation;
}

/// One lock or curve of a measurement, and what it gave.
template <class Result>
struct PartJob {
    std::size_t measurement{};
    std::size_t part{};
    Result result{};
};

template <class Result, class Part>
std::vector<PartJob<Result>> part_jobs(const std::vector<Measurement>& measurements,
                                       std::vector<Part> Measurement::*parts) {
    std::vector<PartJob<Result>> jobs;
    for (std::size_t at = 0; at < measurements.size(); ++at)
        for (std::size_t part = 0; part < (measurements[at].*parts).size(); ++part)
            jobs.push_back({at, part, {}});
    return jobs;
}

// The results of one measurement's parts.
template <class Result>
std::vector<Result> results_of(std::vector<PartJob<Result>>& jobs, std::size_t measurement) {
    std::vector<Result> results;
    for (PartJob<Result>& job : jobs)
        if (job.measurement == measurement) results.push_back(std::move(job.result));
    return results;
}

std::vector<Solve> solves_of(const std::vector<Measurement>& measurements) {
    std::vector<Solve> solves;
    for (std::size_t at = 0; at < measurements.size(); ++at)
        for (std::size_t constant = 0; constant < measurements[at].constants.size(); ++constant)
            if (measurements[at].constants[constant].alternative_fit)
                solves.push_back({at, constant, {}});
    return solves;
}

}  // namespace

Validation predict(Measurement measurement, const FigureValues& values) {
    Validation validation{};
    validation.factors = fit_factors(measurement, values);
    validation.predictions = predict_figures(measurement, values, validation.factors);
    validation.measurement = std::move(measurement);
    for (std::size_t group = 0; group < validation.measurement.groups.size(); ++group)
        validation.summaries.push_back(summarize_group(validation, group));
    return validation;
}

std::vector<Validation> validate(std::vector<Measurement> measurements,
                                 const ValidationOptions& options) {
    reuse_freed_memory();
    std::vector<std::vector<CaseExperiment>> cases;
    std::vector<Job> jobs;
    for (std::size_t at = 0; at < measurements.size(); ++at) {
        cases.push_back(load_cases(measurements[at]));
        for (std::size_t each = 0; each < cases[at].size(); ++each) jobs.push_back({at, each, {}});
    }
    for_each_index(jobs.size(), options.threads, [&](std::size_t at) {
        Job& job = jobs[at];
        const CaseExperiment& each = cases[job.measurement][job.at];
        job.values = figure_values(measurements[job.measurement], each.run_case, each.experiment,
                                   options.stop);
    });
    std::vector<Solve> solves = solves_of(measurements);
    for_each_index(solves.size(), options.threads, [&](std::size_t at) {
        Solve& solve = solves[at];
        solve.result = leave_one_out(measurements[solve.measurement], solve.constant, options.stop);
    });
    auto locks = part_jobs<LockPrediction>(measurements, &Measurement::locks);
    for_each_index(locks.size(), options.threads, [&](std::size_t at) {
        locks[at].result = predict_lock(measurements[locks[at].measurement], locks[at].part);
    });
    auto curves = part_jobs<CurveResult>(measurements, &Measurement::curves);
    for_each_index(curves.size(), options.threads, [&](std::size_t at) {
        curves[at].result =
            curve_points(measurements[curves[at].measurement], curves[at].part, options.stop);
    });

    std::vector<Validation> validations;
    std::size_t next = 0;
    for (std::size_t at = 0; at < measurements.size(); ++at) {
        std::vector<const FigureValues*> values;
        for (; next < jobs.size() && jobs[next].measurement == at; ++next)
            values.push_back(&jobs[next].values);
        validations.push_back(compared(measurements[at], std::move(cases[at]), values));
        for (const Solve& solve : solves)
            if (solve.measurement == at) validations.back().left_out.push_back(solve.result);
        validations.back().locks = results_of(locks, at);
        for (const LockPrediction& lock : validations.back().locks)
            add_lock(measurements[at], lock, validations.back().predictions);
        validations.back().curves = results_of(curves, at);
    }
    return validations;
}

Validation validate(Measurement measurement) {
    std::vector<Measurement> one;
    one.push_back(std::move(measurement));
    return std::move(validate(std::move(one), {}).front());
}

std::size_t count_role(const Measurement& measurement, FigureRole role) {
    return static_cast<std::size_t>(
        std::count_if(measurement.figures.begin(), measurement.figures.end(),
                      [&](const MeasuredFigure& figure) { return figure.role == role; }));
}

}  // namespace nestwalk
