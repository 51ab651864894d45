#include "apps/calibration.h"
#include "apps/calibration_report.h"
#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "apps/latency.h"
#include "apps/measurement_file.h"
#include "apps/output.h"
#include "apps/scalar_edit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nestwalk {
namespace {

/// The file with every byte as it is, which the YAML reader does not give.
std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) throw InputError({path, 0, 0}, "cannot be read");
    return text;
}

void write_values(const Calibration& calibration) {
    std::vector<ScalarEdit> edits;
    for (const std::size_t at : differing(calibration))
        edits.push_back({calibration.measurement.constants[at].written,
                         latency_node(calibration.solved[at]).text});
    if (edits.empty()) return;
    namespace fs = std::filesystem;
    const fs::path file = fs::canonical(edits.front().scalar.location.file);
    write_result(file.parent_path().string(), file.filename().string(),
                 edited(bytes_of(file.string()), edits));
}

bool agrees(const Calibration& calibration, Written written) {
    const bool values = written == Written::kYes || differing(calibration).empty();
    return values && calibration.machine_faults.empty();
}

}  // namespace

int calibrate_command(const CalibrateOptions& options) {
    const Written written = options.write ? Written::kYes : Written::kNo;
    std::vector<Calibration> calibrations;
    for (Measurement& measurement : find_measurements(options.ids))
        calibrations.push_back(calibrate(std::move(measurement), options.threads, &interrupted()));
    if (written == Written::kYes)
        for (const Calibration& calibration : calibrations) write_values(calibration);
    write_stdout(calibration_text(calibrations, written));
    const bool all_agree =
        std::all_of(calibrations.begin(), calibrations.end(),
                    [&](const Calibration& each) { return agrees(each, written); });
    return all_agree ? kExitDone : kExitCheckFailed;
}

}  // namespace nestwalk
