#include "apps/calibration_report.h"
#include "apps/calibration.h"
#include "apps/config_path.h"
#include "apps/latency.h"
#include "apps/machine_file.h"
#include "apps/text_table.h"
#include "apps/text_wrap.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {

namespace {

using Align = TextTable::Align;

/// Thousandths: constants have no finer steps.
constexpr std::int64_t kRounding = 1;

std::string shown(Latency latency) { return latency_node(latency).text; }

bool is_same(const std::string& text, Latency latency) {
    for (const std::int64_t off : {std::int64_t{0}, -kRounding, kRounding})
        if (latency.milli + off >= 0 && text == shown({latency.milli + off, latency.clock}))
            return true;
    return false;
}

// What is wrong with the value in the machine file that should have the constant's; empty if
// nothing is.
std::string machine_fault(const FittedConstant& constant, Latency solved) {
    const std::string key = dotted(constant.key);
    const std::string file = find_machine(constant.also_in, {}, constant.also_in_location);
    const std::vector<ProvenanceEntry> entries = load_machine(file).provenance;
    const auto found =
        std::find_if(entries.begin(), entries.end(),
                     [&](const ProvenanceEntry& entry) { return entry.path == key; });
    const std::string place = constant.id + ": the machine " + constant.also_in;
    if (found == entries.end())
        return fmt::format("{} has no {}, expected {}", place, key, shown(solved));
    if (!is_same(found->value, solved))
        return fmt::format("{} has {}: {}, expected {}", place, key, found->value, shown(solved));
    if (found->provenance.kind != ProvenanceKind::kCalibrated)
        return fmt::format("{} says that {} is '{}', expected 'calibrated'", place, key,
                           word_for(found->provenance.kind, kProvenanceWords));
    return {};
}

std::string difference(Latency stored, Latency solved) {
    if (stored.milli == solved.milli) return "0";
    return fmt::format("{:+.3f}", static_cast<double>(solved.milli - stored.milli) / 1000);
}

std::string table_of(const Calibration& calibration) {
    TextTable table(
        {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
    table.add({"constant", "key", "fitted to", "stored", "solved", "difference"});
    table.add_rule();
    for (std::size_t at = 0; at < calibration.solved.size(); ++at) {
        const FittedConstant& constant = calibration.measurement.constants[at];
        table.add({constant.id, dotted(constant.key),
                   calibration.measurement.figures[constant.fitted_to].id, shown(constant.value),
                   shown(calibration.solved[at]),
                   difference(constant.value, calibration.solved[at])});
    }
    return table.to_string();
}

std::string verdict(const Calibration& calibration, Written written) {
    const std::size_t differ = differing(calibration).size();
    if (differ == 0) return "The stored values are the solved ones.\n";
    const std::string count = fmt::format("{} stored value{}", differ, differ == 1 ? "" : "s");
    if (written == Written::kYes)
        return wrapped(fmt::format("{} differed; the file has the solved ones now.", count));
    return wrapped(fmt::format("{} differ{} from what was solved; --write puts it in the file.",
                               count, differ == 1 ? "s" : ""));
}

}  // namespace

Calibration calibrate(Measurement measurement, std::size_t threads, const std::atomic<bool>* stop) {
    Calibration calibration{};
    calibration.solved = solve_constants(measurement, threads, stop);
    for (std::size_t at = 0; at < calibration.solved.size(); ++at) {
        const FittedConstant& constant = measurement.constants[at];
        if (constant.also_in.empty()) continue;
        const std::string fault = machine_fault(constant, calibration.solved[at]);
        if (!fault.empty()) calibration.machine_faults.push_back(fault);
    }
    calibration.measurement = std::move(measurement);
    return calibration;
}

std::vector<std::size_t> differing(const Calibration& calibration) {
    std::vector<std::size_t> constants;
    for (std::size_t at = 0; at < calibration.solved.size(); ++at) {
        const std::int64_t stored = calibration.measurement.constants[at].value.milli;
        if (std::abs(calibration.solved[at].milli - stored) > kRounding) constants.push_back(at);
    }
    return constants;
}

std::string calibration_text(const std::vector<Calibration>& calibrations, Written written) {
    std::string text;
    for (const Calibration& calibration : calibrations) {
        if (!text.empty()) text += "\n";
        text += calibration.measurement.id + ": " + calibration.measurement.title + "\n";
        if (calibration.solved.empty()) {
            text += "No value of a machine is fitted to these figures.\n";
            continue;
        }
        text += table_of(calibration) + verdict(calibration, written);
        for (const std::string& fault : calibration.machine_faults) text += wrapped(fault + ".");
    }
    return text;
}

}  // namespace nestwalk
