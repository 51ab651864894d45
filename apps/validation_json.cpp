#include "apps/validation_json.h"
#include "apps/json_writer.h"
#include "apps/latency.h"
#include "apps/validation_curves_json.h"
#include "apps/validation_locks_json.h"
#include "apps/validation_totals.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;

Json source_json(const MeasurementSource& source) {
    return {{"title", source.title},
            {"where", source.where},
            {"year", source.year},
            {"author", source.author},
            {"message", source.message}};
}

Json assumptions_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (std::size_t at = 0; at < measurement.assumptions.size(); ++at) {
        const Assumption& assumption = measurement.assumptions[at];
        Json json{{"id", assumption.id}, {"about", assumption.about}};
        json["kind"] = assumption.fitted_to ? "fitted constant" : "discrete choice";
        if (assumption.fitted_to) {
            json["fitted_to"] = measurement.figures[*assumption.fitted_to].id;
            json["value"] = *validation.factors[at];
            json["leave_one_out"] = "left out: fitted to a single figure";
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json left_out_json(const Validation& validation, std::size_t constant) {
    const Measurement& measurement = validation.measurement;
    for (const LeaveOneOut& left_out : validation.left_out)
        if (left_out.constant == constant)
            return {{"fitted_to",
                     measurement.figures[*measurement.constants[constant].alternative_fit].id},
                    {"value", latency_node(left_out.value).text},
                    {"figures", left_out.errors.count},
                    {"median_error", left_out.errors.median},
                    {"largest_error", left_out.errors.largest}};
    return "left out: fitted to a single figure";
}

Json constants_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (const FittedConstant& constant : measurement.constants) {
        Json json{{"id", constant.id},
                  {"about", constant.about},
                  {"key", dotted(constant.key)},
                  {"value", latency_node(constant.value).text},
                  {"fitted_to", measurement.figures[constant.fitted_to].id},
                  {"runs", Json::array()}};
        for (const std::size_t run : constant.runs)
            json["runs"].push_back(measurement.runs[run].id);
        if (!constant.also_in.empty()) json["also_in"] = constant.also_in;
        json["leave_one_out"] = left_out_json(validation, list.size());
        list.push_back(std::move(json));
    }
    return list;
}

Json runs_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (const CaseExperiment& each : validation.experiments) {
        const MeasuredRun& run = measurement.runs[each.run_case.run];
        Json json{{"id", run.id}};
        if (each.run_case.alternative)
            json["alternative"] = run.alternatives[*each.run_case.alternative].id;
        json["assumptions"] = Json::array();
        for (const std::size_t assumption : run.assumptions)
            json["assumptions"].push_back(measurement.assumptions[assumption].id);
        if (each.experiment) json["experiment"] = to_json(resolve(*each.experiment));
        list.push_back(std::move(json));
    }
    return list;
}

void add_prediction(Json& json, const FigurePrediction& prediction) {
    if (prediction.band) {
        json["predicted_low"] = prediction.band->low;
        json["predicted_high"] = prediction.band->high;
    } else {
        json["model"] = prediction.model;
        json["predicted"] = prediction.value;
    }
    json["difference"] = prediction.difference;
    json["error"] = prediction.error;
    json["plain_error"] = prediction.plain_error;
    if (prediction.cause) json["cause"] = word_for(*prediction.cause, kErrorCauseWords);
}

Json share_json(const Validation& validation, std::size_t at) {
    const MeasuredFigure& figure = validation.measurement.figures[at];
    const MeasuredFigure& whole = validation.measurement.figures[*figure.share_of];
    const FigurePrediction& prediction = *validation.predictions[at];
    return {{"of", whole.id},
            {"measured", figure.measured.value / whole.measured.value},
            {"predicted", prediction.value / validation.predictions[*figure.share_of]->value},
            {"remainder", -prediction.difference}};
}

Json figure_json(const Validation& validation, std::size_t at) {
    const Measurement& measurement = validation.measurement;
    const MeasuredFigure& figure = measurement.figures[at];
    Json json{{"id", figure.id},
              {"run", measurement.runs[figure.run].id},
              {"group", measurement.groups[figure.group].id},
              {"role", word_for(figure.role, kFigureRoleWords)},
              {"measured", figure.measured.value}};
    if (figure.x) json["x"] = figure.x->value;
    if (figure.is_counted()) {
        json["phase"] = figure.phase;
        json["statistic"] = figure.statistic;
        if (figure.per != 1) json["per"] = figure.per;
    }
    for (const std::size_t operand : figure.of)
        json["of"].push_back(measurement.figures[operand].id);
    if (!figure.key.empty()) json["key"] = dotted(figure.key);
    if (!figure.lock.empty()) json["lock"] = figure.lock;
    if (!figure.reason.empty()) json["reason"] = figure.reason;
    const std::optional<FigurePrediction>& prediction = validation.predictions[at];
    if (!prediction) return json;
    add_prediction(json, *prediction);
    if (figure.share_of && validation.predictions[*figure.share_of])
        json["share"] = share_json(validation, at);
    return json;
}

Json groups_json(const Validation& validation) {
    Json list = Json::array();
    for (std::size_t at = 0; at < validation.summaries.size(); ++at) {
        const FigureGroup& group = validation.measurement.groups[at];
        const ErrorSummary& summary = validation.summaries[at];
        Json json{{"id", group.id},
                  {"title", group.title},
                  {"unit", group.unit},
                  {"jitter", group.jitter.value},
                  {"errors_in", group.scale == ErrorScale::kUnit ? "unit" : "ratio"}};
        if (group.source) json["source"] = source_json(*group.source);
        if (!group.remainder.empty()) json["remainder"] = group.remainder;
        json["predicted_figures"] = summary.count;
        if (summary.count > 0) {
            json["median_error"] = summary.median;
            json["percentile_90_error"] = summary.percentile_90;
            json["largest_error"] = summary.largest;
            json["mean_error"] = summary.signed_mean;
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json alternatives_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (const HypothesisTest& test : validation.hypothesis_tests) {
        const MeasuredRun& run = measurement.runs[test.run];
        Json json{{"run", run.id}, {"best", run.alternatives[test.best].id}};
        if (run.chosen) json["chosen"] = run.alternatives[*run.chosen].id;
        for (std::size_t at = 0; at < test.hypotheses.size(); ++at) {
            const Hypothesis& hypothesis = test.hypotheses[at];
            Json each{{"id", run.alternatives[at].id},
                      {"about", run.alternatives[at].about},
                      {"largest_error", hypothesis.largest_error},
                      {"largest_factor", hypothesis.largest_factor}};
            for (std::size_t figure = 0; figure < hypothesis.predictions.size(); ++figure) {
                if (!hypothesis.predictions[figure]) continue;
                Json row{{"id", measurement.figures[figure].id}};
                add_prediction(row, *hypothesis.predictions[figure]);
                each["figures"].push_back(std::move(row));
            }
            json["under"].push_back(std::move(each));
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json validation_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json json{{"id", measurement.id}, {"title", measurement.title}};
    if (measurement.source) json["source"] = source_json(*measurement.source);
    json["assumptions"] = assumptions_json(validation);
    json["constants"] = constants_json(validation);
    json["figures"] = Json::array();
    for (std::size_t at = 0; at < measurement.figures.size(); ++at)
        json["figures"].push_back(figure_json(validation, at));
    json["groups"] = groups_json(validation);
    json["alternatives"] = alternatives_json(validation);
    json["locks"] = locks_json(validation);
    json["curves"] = curves_json(validation);
    for (const Keyword<FigureRole>& role : kFigureRoleWords)
        json["roles"][std::string(role.word)] = count_role(measurement, role.meaning);
    json["runs"] = runs_json(validation);
    return json;
}

Json totals_json(const std::vector<Validation>& validations) {
    const Totals totals = totals_of(validations);
    Json json{{"fitted_constants", totals.constants},
              {"discrete_choices", totals.choices},
              {"figures", totals.figures},
              {"undecided", totals.undecided},
              {"not_modelled_share", totals.not_modelled_share}};
    for (std::size_t at = 0; at < totals.roles.size(); ++at)
        json["roles"][std::string(kFigureRoleWords[at].word)] = totals.roles[at];
    return json;
}

}  // namespace

std::string json_report(const std::vector<Validation>& validations) {
    Json json{{"measurements", Json::array()}};
    for (const Validation& validation : validations)
        json["measurements"].push_back(validation_json(validation));
    json["totals"] = totals_json(validations);
    return json.dump(2) + "\n";
}

}  // namespace nestwalk
