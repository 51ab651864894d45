#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/interrupt.h"
#include "apps/measurement_file.h"
#include "apps/output.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/yaml_writer.h"

#include <string>
#include <vector>

namespace nestwalk {
namespace {

const char* file_name(ReportFormat format) {
    switch (format) {
        case ReportFormat::kText:
            return "validation.txt";
        case ReportFormat::kJson:
            return "validation.json";
        case ReportFormat::kCsv:
            return "validation.csv";
    }
    return "";
}

/// DIR/MEASUREMENT/RUN.yaml, or RUN.ALTERNATIVE.yaml, and CURVE.WAY.yaml, each an experiment that
/// `nestwalk run` takes.
void write_experiments(const std::string& directory, const Validation& validation) {
    const std::string folder = directory + "/" + validation.measurement.id;
    for (const CurveResult& result : validation.curves) {
        const RateCurve& curve = validation.measurement.curves[result.curve];
        write_result(folder, curve.id + "." + curve.of.id + ".yaml",
                     write_yaml(resolve(result.of)));
        write_result(folder, curve.id + "." + curve.to.id + ".yaml",
                     write_yaml(resolve(result.to)));
    }
    for (const CaseExperiment& each : validation.experiments) {
        if (!each.experiment) continue;
        const MeasuredRun& run = validation.measurement.runs[each.run_case.run];
        std::string name = run.id;
        if (each.run_case.alternative)
            name += "." + run.alternatives[*each.run_case.alternative].id;
        write_result(folder, name + ".yaml", write_yaml(resolve(*each.experiment)));
    }
}

}  // namespace

int validate_command(const ValidateOptions& options) {
    const std::vector<Validation> validations =
        validate(find_measurements(options.ids), {options.threads, &interrupted()});
    const ReportScope scope = options.ids.empty() ? ReportScope::kAll : ReportScope::kSome;
    const std::string report = report_validations(validations, options.format, scope);
    if (options.output.empty()) {
        write_stdout(report);
    } else {
        for (const Validation& validation : validations) {
            write_experiments(options.output, validation);
        }
        write_result(options.output, file_name(options.format), report);
    }
    return kExitDone;
}

}  // namespace nestwalk
