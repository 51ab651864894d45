#include "apps/validation_report.h"
#include "apps/json_writer.h"
#include "apps/validation_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;

std::string cause_of(const FigurePrediction& prediction) {
    return prediction.cause ? std::string(word_for(*prediction.cause, kErrorCauseWords)) : "";
}

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

Json runs_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json list = Json::array();
    for (std::size_t at = 0; at < measurement.runs.size(); ++at) {
        const MeasuredRun& run = measurement.runs[at];
        Json json{{"id", run.id}, {"assumptions", Json::array()}};
        for (const std::size_t assumption : run.assumptions)
            json["assumptions"].push_back(measurement.assumptions[assumption].id);
        if (at < validation.experiments.size() && validation.experiments[at])
            json["experiment"] = to_json(resolve(*validation.experiments[at]));
        list.push_back(std::move(json));
    }
    return list;
}

/// Errors are ratios, not per cent; null where they are undefined.
Json figure_json(const Validation& validation, std::size_t at) {
    const Measurement& measurement = validation.measurement;
    const MeasuredFigure& figure = measurement.figures[at];
    Json json{{"id", figure.id},
              {"run", measurement.runs[figure.run].id},
              {"group", measurement.groups[figure.group].id},
              {"role", word_for(figure.role, kFigureRoleWords)},
              {"measured", figure.measured}};
    if (const std::optional<FigurePrediction>& prediction = validation.predictions[at]) {
        json["phase"] = figure.phase;
        json["model"] = prediction->count;
        json["predicted"] = prediction->value;
        json["error"] = prediction->error;
        json["plain_error"] = prediction->plain_error;
        if (prediction->cause) json["cause"] = cause_of(*prediction);
        if (figure.share_of && validation.predictions[*figure.share_of]) {
            const auto measured = static_cast<double>(figure.measured);
            const MeasuredFigure& whole = measurement.figures[*figure.share_of];
            json["share"] = {
                {"of", whole.id},
                {"measured", measured / static_cast<double>(whole.measured)},
                {"predicted", prediction->value / validation.predictions[*figure.share_of]->value},
                {"remainder", measured - prediction->value}};
        }
    } else {
        json["reason"] = figure.reason;
    }
    return json;
}

Json groups_json(const Validation& validation) {
    Json list = Json::array();
    for (std::size_t at = 0; at < validation.summaries.size(); ++at) {
        const FigureGroup& group = validation.measurement.groups[at];
        const ErrorSummary& summary = validation.summaries[at];
        Json json{{"id", group.id}, {"title", group.title}};
        if (!group.remainder.empty()) json["remainder"] = group.remainder;
        json["predicted_figures"] = summary.count;
        if (summary.count > 0) {
            json["median_error"] = summary.median;
            json["percentile_90_error"] = summary.percentile_90;
            json["largest_error"] = summary.largest;
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json validation_json(const Validation& validation) {
    const Measurement& measurement = validation.measurement;
    Json json{{"id", measurement.id},         {"title", measurement.title},
              {"unit", measurement.unit},     {"statistic", measurement.statistic},
              {"jitter", measurement.jitter}, {"machine", measurement.machine}};
    json["source"] = source_json(measurement.source);
    json["assumptions"] = assumptions_json(validation);
    json["figures"] = Json::array();
    for (std::size_t at = 0; at < measurement.figures.size(); ++at)
        json["figures"].push_back(figure_json(validation, at));
    json["groups"] = groups_json(validation);
    json["calibrated_figures"] = count_role(measurement, FigureRole::kCalibrated);
    json["predicted_figures"] = count_role(measurement, FigureRole::kPredicted);
    json["not_modelled_figures"] = count_role(measurement, FigureRole::kNotModelled);
    json["runs"] = runs_json(validation);
    return json;
}

std::string text_report(const std::vector<Validation>& validations) {
    std::string text;
    for (const Validation& validation : validations)
        text += (text.empty() ? "" : "\n") + validation_text(validation);
    return text;
}

std::string json_report(const std::vector<Validation>& validations) {
    Json list = Json::array();
    for (const Validation& validation : validations) list.push_back(validation_json(validation));
    return list.dump(2) + "\n";
}

/// Nothing in it needs quotes: ids have no commas, and free text is left to JSON.
std::string csv_report(const std::vector<Validation>& validations) {
    std::string text =
        "measurement,figure,group,role,measured,model,predicted,error,plain_error,cause\n";
    for (const Validation& validation : validations) {
        const Measurement& measurement = validation.measurement;
        for (std::size_t at = 0; at < measurement.figures.size(); ++at) {
            const MeasuredFigure& figure = measurement.figures[at];
            text += fmt::format("{},{},{},{},{}", measurement.id, figure.id,
                                measurement.groups[figure.group].id,
                                word_for(figure.role, kFigureRoleWords), figure.measured);
            if (const std::optional<FigurePrediction>& prediction = validation.predictions[at])
                text += fmt::format(",{},{:.3f},{:.6g},{:.6g},{}\n", prediction->count,
                                    prediction->value, prediction->error, prediction->plain_error,
                                    cause_of(*prediction));
            else
                text += ",,,,,\n";
        }
    }
    return text;
}

}  // namespace

std::string report_validations(const std::vector<Validation>& validations, ReportFormat format) {
    switch (format) {
        case ReportFormat::kText:
            return text_report(validations);
        case ReportFormat::kJson:
            return json_report(validations);
        case ReportFormat::kCsv:
            return csv_report(validations);
    }
    return {};
}

}  // namespace nestwalk
