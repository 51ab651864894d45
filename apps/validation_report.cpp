#include "apps/validation_report.h"
#include "apps/validation_json.h"
#include "apps/validation_text.h"
#include "apps/validation_totals.h"

#include <fmt/format.h>

namespace nestwalk {

namespace {

std::string text_report(const std::vector<Validation>& validations, ReportScope scope) {
    std::string text = validation_legend();
    for (const Validation& validation : validations) text += "\n" + validation_text(validation);
    if (scope == ReportScope::kAll) text += "\n" + totals_text(validations);
    return text;
}

// Nothing in it needs quotes: neither ids nor these words have commas, and units lose theirs.
std::string without_commas(std::string text) {
    for (char& c : text)
        if (c == ',' || c == '"') c = ' ';
    return text;
}

void add_row(std::string& text, const Validation& validation, std::size_t at) {
    const Measurement& measurement = validation.measurement;
    const MeasuredFigure& figure = measurement.figures[at];
    const MeasuredRun& run = measurement.runs[figure.run];
    const FigureGroup& group = measurement.groups[figure.group];
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}", measurement.id, run.id,
        figure.id.substr(figure.id.find('/') + 1), group.id,
        word_for(figure.role, kFigureRoleWords), run.chosen ? run.alternatives[*run.chosen].id : "",
        without_commas(group.unit), figure.x ? to_text(*figure.x) : "", to_text(figure.measured));
    const std::optional<FigurePrediction>& prediction = validation.predictions[at];
    if (!prediction) {
        text += ",,,,,,,,\n";
        return;
    }
    const std::optional<Band>& band = prediction->band;
    text += band ? ",," : fmt::format(",{:.3f},{:.3f}", prediction->model, prediction->value);
    text += fmt::format(",{:.3f},{:.6g},{:.6g},{}", prediction->difference, prediction->error,
                        prediction->plain_error,
                        prediction->cause ? word_for(*prediction->cause, kErrorCauseWords) : "");
    text += band ? fmt::format(",{:.3f},{:.3f}\n", band->low, band->high) : ",,\n";
}

// A point of a curve, which is no figure.
void add_point(std::string& text, const Validation& validation, const RateCurve& curve,
               const CurveWorkload& workload, const CurvePoint& point) {
    text += fmt::format("{},{},{},,curve,,ratio,{:.6g},,{:.6f},{:.6f},,,,,,\n",
                        validation.measurement.id, curve.id, workload.id, point.rate, point.ratio,
                        point.ratio);
}

std::string csv_report(const std::vector<Validation>& validations) {
    std::string text =
        "measurement,run,figure,group,role,alternative,unit,x,measured,model,predicted,difference,"
        "error,plain_error,cause,predicted_low,predicted_high\n";
    for (const Validation& validation : validations) {
        for (std::size_t at = 0; at < validation.measurement.figures.size(); ++at)
            add_row(text, validation, at);
        for (const CurveResult& result : validation.curves) {
            const RateCurve& curve = validation.measurement.curves[result.curve];
            for (std::size_t line = 0; line < result.lines.size(); ++line)
                for (const CurvePoint& point : result.lines[line])
                    add_point(text, validation, curve, curve.workloads[line], point);
        }
    }
    return text;
}

}  // namespace

std::string report_validations(const std::vector<Validation>& validations, ReportFormat format,
                               ReportScope scope) {
    switch (format) {
        case ReportFormat::kText:
            return text_report(validations, scope);
        case ReportFormat::kJson:
            return json_report(validations);
        case ReportFormat::kCsv:
            return csv_report(validations);
    }
    return {};
}

}  // namespace nestwalk
