#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/interrupt.h"
#include "apps/measurement_file.h"
#include "apps/output.h"
#include "apps/validation.h"
#include "apps/validation_report.h"
#include "apps/yaml_writer.h"

#include <algorithm>
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

/// The measurements asked for, each once; all of them where none was named.
std::vector<Measurement> chosen(const std::vector<std::string>& ids) {
    std::vector<Measurement> measurements;
    for (const std::string& id : ids.empty() ? measurement_ids() : ids) {
        const bool known = std::any_of(measurements.begin(), measurements.end(),
                                       [&](const Measurement& each) { return each.id == id; });
        if (!known) measurements.push_back(find_measurement(id));
    }
    if (measurements.empty()) {
        throw InputError({"nestwalk validate", 0, 0},
                         "no measurements in the validation folders of the configurations");
    }
    return measurements;
}

/// DIR/MEASUREMENT/RUN.yaml, each an experiment that `nestwalk run` takes.
void write_experiments(const std::string& directory, const Validation& validation) {
    for (std::size_t run = 0; run < validation.experiments.size(); ++run) {
        if (!validation.experiments[run]) continue;
        write_result(directory + "/" + validation.measurement.id,
                     validation.measurement.runs[run].id + ".yaml",
                     write_yaml(resolve(*validation.experiments[run])));
    }
}

}  // namespace

int validate_command(const ValidateOptions& options) {
    std::vector<Validation> validations;
    for (Measurement& measurement : chosen(options.ids)) {
        validations.push_back(validate(std::move(measurement), &interrupted()));
    }
    const std::string report = report_validations(validations, options.format);
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
