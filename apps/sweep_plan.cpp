#include "apps/sweep_plan.h"
#include "apps/config_path.h"
#include "apps/program_version.h"
#include "apps/sha256.h"
#include "apps/workload_section.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <utility>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

// To look at a point takes about a millisecond.
constexpr std::size_t kMostLookedAt = 20'000;

const char* name_of(Engine engine) { return engine == Engine::kCycle ? "cycle" : "replay"; }

bool begins_with(const std::vector<std::string>& path, const std::vector<std::string>& start) {
    return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

// The sweep would lay its own value over one from the command line.
void check_not_varied(const std::vector<Override>& overrides, const std::vector<SweepAxis>& axes) {
    for (const Override& change : overrides)
        for (const SweepAxis& axis : axes)
            if (begins_with(full_path(change.path), full_path(axis.path)))
                throw InputError(change.location, "the sweep varies " + nestwalk::quoted(axis.key) +
                                                      "; to give it other values: --set 'sweep." +
                                                      axis.key + "=[...]'");
}

// A file that was written to has another one.
std::string stamp_of(const std::string& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    const auto written = fs::last_write_time(path, error).time_since_epoch();
    return error ? "gone" : std::to_string(size) + " " + std::to_string(written.count());
}

std::vector<std::size_t> sizes_of(const std::vector<SweepAxis>& axes) {
    std::vector<std::size_t> sizes;
    for (const SweepAxis& axis : axes) sizes.push_back(axis.values.size());
    return sizes;
}

// All points, or as many as it takes for each value to occur in one.
std::vector<std::size_t> points_to_look_at(const std::vector<SweepAxis>& axes) {
    std::vector<std::size_t> points;
    if (combinations(axes) <= kMostLookedAt) {
        for (std::size_t point = 1; point <= combinations(axes); ++point) points.push_back(point);
        return points;
    }
    std::size_t step = 1;  // from one value of the key to the next
    points.push_back(1);
    for (std::size_t at = axes.size(); at-- > 0;) {
        for (std::size_t value = 1; value < axes[at].values.size(); ++value)
            points.push_back(1 + value * step);
        step *= axes[at].values.size();
    }
    return points;
}

}  // namespace

SweepPlan::SweepPlan(const std::string& path, const std::vector<Override>& overrides)
    : document_(read_yaml_file(path)), base_(fs::path(path).parent_path()) {
    if (!document_.is_map()) reject({&document_, ""}, "a map with keys such as title");
    settings_ = apply_own(document_, overrides);
    const ConfigNode* const sweep = document_.find("sweep");
    if (sweep == nullptr)
        throw InputError({path},
                         "the experiment has no sweep; expected one such as sweep: {stlb.entries: "
                         "[512, 1024]}, in the file or after --set");
    axes_ = read_sweep({sweep, "sweep"});
    check_not_varied(overrides, axes_);
    document_.erase("sweep");
    bool varied = false;
    for (const SweepAxis& axis : axes_) {
        if (axis.key != "machine") continue;
        varied = true;
        for (const ConfigNode& value : axis.values) read_machines({&value, "machine"});
    }
    if (const ConfigNode* const machine = document_.find("machine"); machine != nullptr && !varied)
        read_machines({machine, "machine"});
    read_traces();
}

void SweepPlan::read_machines(const ConfigValue& value) {
    if (!value.node->is_scalar()) return;  // written out, or refused later on
    const std::string file =
        find_machine(value.node->text, base_of(value, base_), value.node->location);
    if (machines_.count(file) != 0) return;
    machines_[file] = read_yaml_file(file);
    machine_inputs_[file] = {value.node->text, sha256(write_yaml(machines_[file])), ""};
}

void SweepPlan::read_traces() {
    const ConfigNode* const workload = document_.find("workload");
    const ConfigNode* written = workload == nullptr ? nullptr : workload->find("trace");
    for (const SweepAxis& axis : axes_) {
        if (axis.key == "workload.trace") {
            written = nullptr;
            for (const ConfigNode& value : axis.values) read_trace(value);
        } else if (axis.key == "workload") {
            written = nullptr;
            for (const ConfigNode& value : axis.values)
                if (const ConfigNode* const trace = value.find("trace")) read_trace(*trace);
        }
    }
    if (written != nullptr) read_trace(*written);
}

void SweepPlan::read_trace(const ConfigNode& value) {
    const ConfigValue trace{&value, "workload.trace"};
    const std::string path = trace_path(trace, base_);
    if (path == "-")
        refuse(trace,
               "standard input can be read once only, expected a file: a sweep reads its "
               "trace again for every point");
    if (traces_.count(path) != 0) return;
    const std::string stamp = stamp_of(path);
    traces_[path] = {value.text, sha256_of_file(path), stamp};
}

void SweepPlan::check_traces() const {
    for (const auto& [path, input] : traces_)
        if (stamp_of(path) != input.stamp)
            throw InputError({path},
                             "has changed since the sweep began; what it gave is not stored");
}

SweepDescription SweepPlan::describe(Engine engine) const {
    SweepDescription description{};
    description.version = program_version();
    description.engine = name_of(engine);
    description.experiment = write_yaml(document_);
    for (const Override& setting : settings_)
        description.settings.push_back(dotted(setting.path) + "=" + setting_text(setting.value));
    for (const SweepAxis& axis : axes_) {
        description.keys.push_back({axis.key, {}});
        for (const ConfigNode& value : axis.values)
            description.keys.back().values.push_back(setting_text(value));
    }
    for (const auto& [path, input] : machine_inputs_)
        description.inputs.push_back({"machine", input.name, input.sha256});
    for (const auto& [path, input] : traces_)
        description.inputs.push_back({"trace", input.name, input.sha256});
    std::sort(description.inputs.begin(), description.inputs.end());
    return description;
}

Experiment SweepPlan::experiment(std::size_t point) const {
    const std::vector<std::size_t> choices = choices_of_point(point, sizes_of(axes_));
    std::vector<Override> changes;
    for (std::size_t at = 0; at < axes_.size(); ++at)
        changes.push_back({axes_[at].path, axes_[at].values[choices[at]], axes_[at].location});
    ConfigNode document = document_;
    std::vector<Override> settings = settings_;
    for (Override& change : apply_own(document, changes)) settings.push_back(std::move(change));
    if (ConfigNode* const machine = document.find("machine"); machine && machine->is_scalar())
        *machine = machines_.at(
            find_machine(machine->text, base_of({machine, ""}, base_), machine->location));
    return read_experiment(std::move(document), base_, settings);
}

std::string SweepPlan::key(const Experiment& experiment, Engine engine) const {
    ConfigNode resolved = resolve(experiment);
    // Of a trace what is in it counts, not where it is.
    if (const auto* const trace = std::get_if<TraceFile>(&experiment.workload))
        resolved.find("workload")
            ->set("trace", text_node("sha256:" + traces_.at(trace->path).sha256));
    return sha256(program_version() + "\n" + name_of(engine) + "\n" + write_yaml(resolved));
}

ImpossiblePoints SweepPlan::check(const std::atomic<bool>& stop) const {
    ImpossiblePoints impossible{};
    std::exception_ptr first;
    const std::vector<std::size_t> looked_at = points_to_look_at(axes_);
    for (const std::size_t point : looked_at) {
        if (stop) throw Interrupted();
        try {
            experiment(point);
        } catch (const ImpossibleValue& error) {
            if (++impossible.count > 1) continue;
            impossible.first = error.what();
            first = std::current_exception();
        }
    }
    const bool all = looked_at.size() == points();
    if (all && impossible.count == points()) std::rethrow_exception(first);
    return impossible;
}

}  // namespace nestwalk
