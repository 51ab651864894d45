#include "apps/commands.h"
#include "apps/config_path.h"
#include "apps/exit_status.h"
#include "apps/experiment_file.h"
#include "apps/hypervisor_report.h"
#include "apps/json_schema.h"
#include "apps/json_writer.h"
#include "apps/machine_drawing.h"
#include "apps/machine_report.h"
#include "apps/output.h"
#include "apps/system_keys.h"
#include "apps/yaml_writer.h"
#include "traces/source_location.h"

#include <nlohmann/json.hpp>

namespace nestwalk {
namespace {

Machine machine_named(const std::string& name, const std::vector<Override>& overrides = {}) {
    return load_machine(find_machine(name, "", {"show machine"}), overrides);
}

std::string show_machines(const ShowOptions& options) {
    std::vector<Machine> machines;
    for (const std::string& name : machine_names()) machines.push_back(machine_named(name));
    return options.format == ReportFormat::kJson ? machines_json(machines)
                                                 : machines_text(machines);
}

std::string show_machine(const ShowOptions& options) {
    const Machine machine = machine_named(options.name, parse_overrides(options.set));
    if (options.dot) return machine_dot(machine.parameters);
    return options.format == ReportFormat::kJson ? machine_json(machine) : machine_text(machine);
}

std::string show_experiment(const ShowOptions& options) {
    const ConfigNode resolved =
        resolve(load_experiment(options.name, parse_overrides(options.set)));
    return options.format == ReportFormat::kJson ? to_json(resolved).dump(2) + "\n"
                                                 : write_yaml(resolved);
}

std::string show_hypervisors(const ShowOptions& options) {
    return options.format == ReportFormat::kJson ? hypervisors_json(hypervisor_columns())
                                                 : hypervisors_text();
}

std::string show_hypervisor(const ShowOptions& options) {
    const ConfigNode name = word_node(options.name);
    const Hypervisor kind = read_word({&name, "show hypervisor"}, kHypervisorWords);
    return options.format == ReportFormat::kJson ? hypervisors_json(columns_of(kind))
                                                 : hypervisor_text(kind);
}

std::string show_schema(const ShowOptions& options) {
    return options.name == "machine" ? machine_json_schema() : experiment_json_schema();
}

}  // namespace

int show_command(const ShowOptions& options) {
    if (options.format == ReportFormat::kCsv) {
        throw InputError({"--format"},
                         "show has no table that csv could hold: 'csv'; expected text "
                         "or json");
    }
    write_stdout(options.what == "machines"      ? show_machines(options)
                 : options.what == "machine"     ? show_machine(options)
                 : options.what == "hypervisors" ? show_hypervisors(options)
                 : options.what == "hypervisor"  ? show_hypervisor(options)
                 : options.what == "schema"      ? show_schema(options)
                                                 : show_experiment(options));
    return kExitDone;
}

}  // namespace nestwalk
